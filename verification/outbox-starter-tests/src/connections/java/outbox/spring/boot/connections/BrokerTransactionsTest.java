package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.spring.boot.connections.Shop.awaitDone;
import static outbox.spring.boot.connections.Shop.shop;

import jakarta.jms.ConnectionFactory;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.transaction.RabbitTransactionManager;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jms.connection.JmsTransactionManager;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.OutboxWriter;
import outbox.domain.handler.EventRoute;

/** A transaction manager of a message broker is not that of the database. */
class BrokerTransactionsTest {
    /** As if it backed off, which on Spring Boot 4 it does beside any other transaction manager. */
    private static final String WITHOUT_THE_DATABASES = "spring.autoconfigure.exclude="
            + Shop.either(
                            "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
                            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration")
                    .getName();

    private static ApplicationContextRunner delivering(String... properties) {
        return shop(properties)
                .withBean(
                        "audit",
                        EventRoute.class,
                        () -> EventRoute.to("audit", event -> {}).eventTypes("*"));
    }

    @Configuration(proxyBeanMethods = false)
    static class OfKafka {
        @Bean
        KafkaTransactionManager<String, String> brokerTransactions() {
            DefaultKafkaProducerFactory<String, String> producers = new DefaultKafkaProducerFactory<>(
                    Map.of("bootstrap.servers", "127.0.0.1:1"), new StringSerializer(), new StringSerializer());
            producers.setTransactionIdPrefix("shop-");
            return new KafkaTransactionManager<>(producers);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfRabbit {
        @Bean
        RabbitTransactionManager brokerTransactions() {
            return new RabbitTransactionManager(new CachingConnectionFactory("127.0.0.1", 1));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfJms {
        @Bean
        JmsTransactionManager brokerTransactions() {
            ConnectionFactory connections = new ActiveMQConnectionFactory("tcp://127.0.0.1:1");
            return new JmsTransactionManager(connections);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfKafka.class, OfRabbit.class, OfJms.class})
    void aManagerOfABrokerAloneFailsTheStartInsteadOfEveryWrite(Class<?> broker) {
        delivering(WITHOUT_THE_DATABASES)
                .withUserConfiguration(broker)
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("there is no transaction manager for the data source of the outbox")
                        .hasMessageContaining("for message brokers: [brokerTransactions]"));
    }

    @Test
    void aTransactionIdPrefixThatLeavesTheDatabaseWithoutAManagerFailsTheStart() {
        delivering(WITHOUT_THE_DATABASES, "spring.kafka.producer.transaction-id-prefix=shop-")
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("for message brokers: [kafkaTransactionManager]"));
    }

    @ParameterizedTest
    @ValueSource(classes = {OfKafka.class, OfRabbit.class, OfJms.class})
    void aNamedManagerOfABrokerIsRefused(Class<?> broker) {
        delivering("outbox.transaction-manager=brokerTransactions")
                .withUserConfiguration(broker, OfTheDatabase.class)
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("'brokerTransactions'")
                        .hasMessageContaining("TransactionManager, which does not manage a database"));
    }

    @Configuration(proxyBeanMethods = false)
    static class OfTheDatabase {
        @Bean
        @Primary
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    /** Like a manager for JTA, it does not tell what it manages. */
    record Silent(PlatformTransactionManager manager) implements PlatformTransactionManager {
        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return manager.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            manager.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            manager.rollback(status);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SilentOfTheDatabase {
        @Bean
        PlatformTransactionManager silent(DataSource dataSource) {
            return new Silent(new JdbcTransactionManager(dataSource));
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfTheDatabase.class, SilentOfTheDatabase.class})
    void besideManagersOfBrokersTheOneOfTheDatabaseIsUsed(Class<?> database) {
        delivering(WITHOUT_THE_DATABASES)
                .withUserConfiguration(OfKafka.class, database)
                .run(context -> {
                    String name = database == OfTheDatabase.class ? "transactionManager" : "silent";
                    new TransactionTemplate(context.getBean(name, PlatformTransactionManager.class))
                            .executeWithoutResult(status ->
                                    context.getBean(OutboxWriter.class).write("order.placed", "{}"));
                    awaitDone(context);
                });
    }
}
