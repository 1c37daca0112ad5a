package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.connections.Shop.awaitDone;
import static outbox.spring.boot.connections.Shop.shop;
import static outbox.spring.boot.connections.Shop.write;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.SimpleRoutingConnectionFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.rabbitmq.RabbitPublisher;
import outbox.testing.server.EmbeddedQpid;

/** Events go to the RabbitMQ that the application has configured for itself; here Qpid speaks its protocol. */
class RabbitConnectionTest {
    private static final int PORT = Integer.parseInt(
            EmbeddedQpid.shared().substring(EmbeddedQpid.shared().lastIndexOf(':') + 1));

    private final String exchange = "orders-" + UUID.randomUUID();
    private Connection connection;
    private Channel channel;

    @BeforeEach
    void declareQueue() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(EmbeddedQpid.shared());
        connection = factory.newConnection();
        channel = connection.createChannel();
        channel.exchangeDeclare(exchange, "topic");
        channel.queueDeclare(exchange, false, false, true, Map.of());
        channel.queueBind(exchange, exchange, "#");
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
    }

    private ApplicationContextRunner rabbitShop(String... properties) {
        return shop("outbox.rabbitmq.exchange=" + exchange, "outbox.rabbitmq.routing-key={eventType}")
                .withPropertyValues(properties);
    }

    private static ApplicationContextRunner without(boolean springRabbit, ApplicationContextRunner runner) {
        return springRabbit ? runner : runner.withClassLoader(Shop.WITHOUT_SPRING_LIBRARIES);
    }

    private void arrives(ApplicationContextRunner runner) {
        runner.run(context -> {
            write(context);
            awaitDone(context);
            assertThat(channel.basicGet(exchange, true).getEnvelope().getRoutingKey())
                    .isEqualTo("order.placed");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void springsPropertiesAreEnough(boolean springRabbit) {
        List<String> lines = Shop.logged(() -> arrives(
                without(springRabbit, rabbitShop("spring.rabbitmq.host=127.0.0.1", "spring.rabbitmq.port=" + PORT))));
        assertThat(lines)
                .containsExactly("events go to RabbitMQ, as "
                        + (springRabbit ? "the Spring AMQP ConnectionFactory bean" : "spring.rabbitmq.host")
                        + " says");
    }

    @Test
    void anOwnPublisherIsUsed() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(EmbeddedQpid.shared());
        arrives(rabbitShop("spring.rabbitmq.port=1")
                .withBean(
                        RabbitPublisher.class,
                        () -> RabbitPublisher.builder(factory)
                                .exchange(exchange)
                                .routingKey("{eventType}")
                                .build()));
    }

    /** The first node is down, and the login is part of an address. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allAddressesOfAClusterAreTried(boolean springRabbit) {
        arrives(without(
                springRabbit,
                rabbitShop(
                        "spring.rabbitmq.addresses=amqp://guest:guest@127.0.0.1:1,127.0.0.1:" + PORT,
                        "spring.rabbitmq.username=nobody")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionDetailsTakePrecedenceOverProperties(boolean springRabbit) throws Exception {
        Class<?> details = Shop.either(
                "org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails",
                "org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails");
        Object address = Class.forName(details.getName() + "$Address")
                .getConstructor(String.class, int.class)
                .newInstance("127.0.0.1", PORT);
        arrives(Shop.withDetails(
                without(springRabbit, rabbitShop("spring.rabbitmq.port=1", "spring.rabbitmq.username=nobody")),
                details,
                Map.of("getAddresses", List.of(address), "getUsername", "guest", "getPassword", "guest")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anSslBundleIsUsed(boolean springRabbit) throws Exception {
        try (TlsTunnel tunnel = TlsTunnel.to(PORT)) {
            arrives(without(springRabbit, rabbitShop(TlsTunnel.bundle("broker")))
                    .withPropertyValues(
                            "spring.rabbitmq.host=127.0.0.1",
                            "spring.rabbitmq.port=" + tunnel.port(),
                            "spring.rabbitmq.ssl.bundle=broker"));
            assertThat(tunnel.handshakes()).isPositive();
        }
    }

    /** RabbitMQ's client alone trusts every certificate. */
    @Test
    void aCertificateThatNobodyTrustsIsRefused() throws Exception {
        try (TlsTunnel tunnel = TlsTunnel.to(PORT)) {
            rabbitShop("outbox.rabbitmq.uri=amqps://guest:guest@127.0.0.1:" + tunnel.port())
                    .run(context -> {
                        write(context);
                        await().untilAsserted(() -> assertThat(context.getBean(JdbcTemplate.class)
                                        .queryForObject("SELECT last_error FROM outbox_event", String.class))
                                .contains("PKIX"));
                        assertThat(tunnel.handshakes()).isZero();
                    });
        }
    }

    @Test
    void aFactoryOfTheClientItselfIsUsed() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(EmbeddedQpid.shared());
        arrives(without(false, rabbitShop()).withBean(ConnectionFactory.class, () -> factory));
    }

    @Test
    void aBrokerOfTheOutboxAloneWinsAndThatIsLogged() {
        List<String> lines = Shop.logged(
                () -> arrives(rabbitShop("spring.rabbitmq.port=1", "outbox.rabbitmq.uri=" + EmbeddedQpid.shared())));
        assertThat(lines)
                .containsExactly(
                        "events go to RabbitMQ, as outbox.rabbitmq.uri says; the Spring AMQP ConnectionFactory bean is not used");
    }

    @Test
    void aLoginOfTheOutboxAloneWins() {
        arrives(rabbitShop(
                "spring.rabbitmq.addresses=127.0.0.1:" + PORT,
                "spring.rabbitmq.username=nobody",
                "outbox.rabbitmq.username=guest",
                "outbox.rabbitmq.password=guest"));
    }

    /** With several factories an application sets up Spring AMQP by itself. */
    @Test
    void whatHasNoSingleBrokerIsRefused() {
        ApplicationContextRunner byHand = rabbitShop("spring.autoconfigure.exclude="
                + "org.springframework.boot.autoconfigure.amqp.RabbitAutoConfiguration,"
                + "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration");
        byHand.withBean("a", CachingConnectionFactory.class, () -> new CachingConnectionFactory("127.0.0.1", PORT))
                .withBean("b", CachingConnectionFactory.class, () -> new CachingConnectionFactory("127.0.0.1", 1))
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("several Spring AMQP ConnectionFactory beans and none is @Primary")
                        .hasMessageContaining("outbox.rabbitmq.uri"));
        byHand.withBean(SimpleRoutingConnectionFactory.class, () -> {
                    SimpleRoutingConnectionFactory byThread = new SimpleRoutingConnectionFactory();
                    byThread.setTargetConnectionFactories(Map.of("a", new CachingConnectionFactory("127.0.0.1", PORT)));
                    return byThread;
                })
                .run(context -> assertThat(Shop.failureOf(context)).hasMessageContaining("has no single broker"));
        arrives(byHand.withBean(CachingConnectionFactory.class, () -> new CachingConnectionFactory("127.0.0.1", PORT)));
    }

    @Test
    void withoutAnyBrokerTheStartFails() {
        without(false, rabbitShop())
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("outbox.rabbitmq.exchange")
                        .hasMessageContaining("no broker is named")
                        .hasMessageContaining("Set spring.rabbitmq.host"));
        without(false, rabbitShop("spring.rabbitmq.host=127.0.0.1", "spring.rabbitmq.ssl.key-store=file:keys.p12"))
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("spring.rabbitmq.ssl.key-store")
                        .hasMessageContaining("spring.rabbitmq.ssl.bundle"));
    }
}
