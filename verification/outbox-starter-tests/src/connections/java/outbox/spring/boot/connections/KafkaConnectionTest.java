package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.connections.Shop.awaitDone;
import static outbox.spring.boot.connections.Shop.shop;
import static outbox.spring.boot.connections.Shop.write;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import outbox.kafka.KafkaPublisher;
import outbox.testing.server.EmbeddedKafka;

/** Events go to the Kafka that the application has configured for itself. */
class KafkaConnectionTest {
    private final String topic = "orders-" + UUID.randomUUID();

    private ApplicationContextRunner kafkaShop(String... properties) {
        return shop("outbox.kafka.topic=" + topic).withPropertyValues(properties);
    }

    private static List<String> values(String topic) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                EmbeddedKafka.shared(),
                "group.id",
                UUID.randomUUID().toString(),
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest");
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            await().until(() -> {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
                return !values.isEmpty();
            });
        }
        return values;
    }

    private static ApplicationContextRunner without(boolean springKafka, ApplicationContextRunner runner) {
        return springKafka ? runner : runner.withClassLoader(Shop.WITHOUT_SPRING_LIBRARIES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void springsPropertiesAreEnough(boolean springKafka) {
        List<String> lines = Shop.logged(() -> without(springKafka, kafkaShop())
                .withPropertyValues("spring.kafka.bootstrap-servers=" + EmbeddedKafka.shared())
                .run(context -> {
                    write(context);
                    awaitDone(context);
                    assertThat(values(topic)).containsExactly("{\"order\":1}");
                }));
        assertThat(lines)
                .containsExactly("events go to Kafka at " + EmbeddedKafka.shared() + ", as "
                        + (springKafka ? "the ProducerFactory bean" : "spring.kafka.bootstrap-servers") + " says");
    }

    /** What the application's own templates need does not weaken the outbox, and the other way round. */
    @Test
    void theApplicationsProducersStayAsTheyAre() {
        kafkaShop(
                        "spring.kafka.bootstrap-servers=" + EmbeddedKafka.shared(),
                        "spring.kafka.client-id=shop",
                        "spring.kafka.producer.properties[transactional.id]=tx",
                        "spring.kafka.producer.value-serializer=" + StringSerializer.class.getName(),
                        "spring.kafka.producer.properties[partitioner.ignore.keys]=true")
                .run(context -> {
                    write(context);
                    awaitDone(context);
                    assertThat(values(topic)).hasSize(1);
                    ProducerFactory<?, ?> factory = context.getBean(ProducerFactory.class);
                    assertThat(factory.getConfigurationProperties())
                            .containsEntry("value.serializer", StringSerializer.class)
                            .containsEntry("client.id", "shop");
                });
    }

    /** Templates of the application that send in Kafka transactions are no reason against the outbox. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionIdPrefixIsForTheApplicationAloneAndThatIsLogged(boolean springKafka) {
        List<String> lines = Shop.logged(() -> without(springKafka, kafkaShop())
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + EmbeddedKafka.shared(),
                        "spring.kafka.producer.transaction-id-prefix=shop-")
                .withUserConfiguration(OwnTransactions.class)
                .run(context -> {
                    write(context);
                    awaitDone(context);
                    assertThat(values(topic)).hasSize(1);
                }));
        assertThat(lines)
                .hasSize(2)
                .last(InstanceOfAssertFactories.STRING)
                .startsWith("the outbox sends events outside Kafka transactions")
                .contains(springKafka ? "the ProducerFactory bean" : "spring.kafka.bootstrap-servers");
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTransactions {
        @Bean
        @Primary
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Test
    void weakAcknowledgementsOfTheApplicationAreNotTakenOver() {
        kafkaShop(
                        "spring.kafka.bootstrap-servers=" + EmbeddedKafka.shared(),
                        "spring.kafka.producer.acks=0",
                        "spring.kafka.producer.properties[enable.idempotence]=false")
                .run(context -> {
                    write(context);
                    awaitDone(context);
                    assertThat(values(topic)).hasSize(1);
                });
    }

    /** As Testcontainers and Docker Compose support give them: the properties know nothing of these brokers. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionDetailsTakePrecedenceOverProperties(boolean springKafka) {
        Class<?> details = Shop.either(
                "org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails",
                "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails");
        ApplicationContextRunner runner = without(springKafka, kafkaShop("spring.kafka.bootstrap-servers=127.0.0.1:1"));
        Shop.withDetails(runner, details, Map.of("getBootstrapServers", List.of(EmbeddedKafka.shared())))
                .run(context -> {
                    write(context);
                    awaitDone(context);
                    assertThat(values(topic)).hasSize(1);
                });
    }

    /** The tunnel leads to the broker, which names its own address to the client then: what counts is the handshake. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anSslBundleIsUsed(boolean springKafka) throws Exception {
        int broker = Integer.parseInt(EmbeddedKafka.shared().split(":")[1]);
        try (TlsTunnel tunnel = TlsTunnel.to(broker)) {
            without(springKafka, kafkaShop(TlsTunnel.bundle("brokers")))
                    .withPropertyValues(
                            "spring.kafka.bootstrap-servers=127.0.0.1:" + tunnel.port(),
                            "spring.kafka.security.protocol=SSL",
                            "spring.kafka.ssl.bundle=brokers")
                    .run(context -> {
                        write(context);
                        await().until(() -> tunnel.handshakes() > 0);
                    });
        }
    }

    @Test
    void aTrustStoreIsReadWithoutSpringKafkaToo() throws Exception {
        int broker = Integer.parseInt(EmbeddedKafka.shared().split(":")[1]);
        try (TlsTunnel tunnel = TlsTunnel.to(broker)) {
            without(false, kafkaShop(TlsTunnel.trustStore("spring.kafka.ssl.trust-store-")))
                    .withPropertyValues(
                            "spring.kafka.producer.bootstrap-servers=127.0.0.1:" + tunnel.port(),
                            "spring.kafka.producer.security.protocol=SSL")
                    .run(context -> {
                        write(context);
                        await().until(() -> tunnel.handshakes() > 0);
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void brokersOfTheOutboxAloneWinAndThatIsLogged(boolean springKafka) {
        List<String> lines = Shop.logged(() -> without(springKafka, kafkaShop())
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=127.0.0.1:1",
                        "spring.kafka.security.protocol=SASL_SSL",
                        "outbox.kafka.bootstrap-servers=" + EmbeddedKafka.shared())
                .run(context -> {
                    write(context);
                    awaitDone(context);
                }));
        assertThat(lines)
                .containsExactly("events go to Kafka at " + EmbeddedKafka.shared()
                        + ", as outbox.kafka.bootstrap-servers says; "
                        + (springKafka ? "the ProducerFactory bean" : "spring.kafka.bootstrap-servers")
                        + " is not used");
    }

    private static ProducerFactory<String, String> factory(String brokers) {
        return new DefaultKafkaProducerFactory<>(
                Map.of("bootstrap.servers", brokers), new StringSerializer(), new StringSerializer());
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoFactories {
        @Bean
        ProducerFactory<String, String> orders() {
            return factory(EmbeddedKafka.shared());
        }

        @Bean
        ProducerFactory<String, String> archive() {
            return factory("127.0.0.1:1");
        }

        @Bean
        KafkaTemplate<String, String> template(@Qualifier("orders") ProducerFactory<String, String> orders) {
            return new KafkaTemplate<>(orders);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryFactory extends TwoFactories {
        @Bean
        @Primary
        @Override
        ProducerFactory<String, String> orders() {
            return super.orders();
        }
    }

    @Test
    void ofSeveralProducerFactoriesThePrimaryOneIsUsedAndWithoutOneTheStartFails() {
        kafkaShop().withUserConfiguration(PrimaryFactory.class).run(context -> {
            write(context);
            awaitDone(context);
            assertThat(values(topic)).hasSize(1);
        });
        kafkaShop()
                .withUserConfiguration(TwoFactories.class)
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("there are several ProducerFactory beans and none is @Primary")
                        .hasMessageContaining("outbox.kafka.bootstrap-servers"));
        kafkaShop("outbox.kafka.bootstrap-servers=" + EmbeddedKafka.shared())
                .withUserConfiguration(TwoFactories.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    static class SilentFactory {
        @Bean
        ProducerFactory<String, String> silent() {
            return () -> {
                throw new UnsupportedOperationException();
            };
        }

        @Bean
        KafkaTemplate<String, String> template(ProducerFactory<String, String> silent) {
            return new KafkaTemplate<>(silent);
        }
    }

    @Test
    void aProducerFactoryThatDoesNotTellItsSettingsIsRefused() {
        kafkaShop()
                .withUserConfiguration(SilentFactory.class)
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("does not tell its bootstrap.servers"));
    }

    @Test
    void anOwnPublisherIsUsed() {
        kafkaShop("spring.kafka.bootstrap-servers=127.0.0.1:1")
                .withBean(
                        KafkaPublisher.class,
                        () -> KafkaPublisher.builder(EmbeddedKafka.shared())
                                .topic(topic)
                                .build())
                .run(context -> {
                    write(context);
                    awaitDone(context);
                    assertThat(values(topic)).hasSize(1);
                });
    }

    @Test
    void withoutAnyBrokerTheStartFails() {
        without(false, kafkaShop())
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("the properties outbox.kafka.topic are set, but no broker is named")
                        .hasMessageContaining("Set spring.kafka.bootstrap-servers"));
    }

    @Test
    void aModuleThatSendsNothingIsNamedWithItsProperty() {
        List<String> lines = Shop.logged(
                "outbox.spring.boot.OutboxAssembler",
                () -> shop().run(context -> assertThat(context).hasNotFailed()));
        assertThat(lines)
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("writes events and delivers none")
                .contains("; outbox.kafka.enabled=true sends events there")
                .contains("; outbox.rabbitmq.enabled=true sends events there");
    }

    @Test
    void theRouteCanBeSwitchedOnAndOffByOneProperty() {
        String brokers = "spring.kafka.bootstrap-servers=" + EmbeddedKafka.shared();
        shop(brokers).run(context -> assertThat(context).doesNotHaveBean("outboxKafkaRoute"));
        shop(brokers, "outbox.kafka.enabled=true")
                .run(context -> assertThat(context).hasBean("outboxKafkaRoute"));
        kafkaShop(brokers, "outbox.kafka.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("outboxKafkaRoute"));
    }
}
