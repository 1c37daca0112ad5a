package outbox.spring.boot.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import outbox.spring.boot.test.EmbeddedServers.Server;
import outbox.testing.server.TestDatabase;

/**
 * Connection details of Spring Boot 4, whose types have other packages in Boot 3. One class for each, because an application may
 * have only some of these types.
 */
final class ServersOfBoot4 {
    private ServersOfBoot4() {}

    record Jdbc(TestDatabase database) implements JdbcConnectionDetails {
        static Jdbc of(Server server) {
            return new Jdbc(RunningServers.database(server));
        }

        @Override
        public String getJdbcUrl() {
            return database.jdbcUrl();
        }

        @Override
        public String getUsername() {
            return database.username();
        }

        @Override
        public String getPassword() {
            return database.password();
        }
    }

    record Kafka(List<String> bootstrapServers) implements KafkaConnectionDetails {
        static Kafka of(Server server) {
            return new Kafka(List.of(RunningServers.address(server).split(",")));
        }

        @Override
        public List<String> getBootstrapServers() {
            return bootstrapServers;
        }
    }

    record Rabbit(ServerUri uri) implements RabbitConnectionDetails {
        static Rabbit of(Server server) {
            return new Rabbit(new ServerUri(RunningServers.address(server)));
        }

        @Override
        public List<Address> getAddresses() {
            return List.of(new Address(uri.host(), uri.port(5672)));
        }

        @Override
        public @Nullable String getUsername() {
            return uri.username();
        }

        @Override
        public @Nullable String getPassword() {
            return uri.password();
        }

        @Override
        public @Nullable String getVirtualHost() {
            return uri.path();
        }
    }

    record Redis(ServerUri uri) implements DataRedisConnectionDetails {
        static Redis of(Server server) {
            return new Redis(new ServerUri(RunningServers.address(server)));
        }

        @Override
        public Standalone getStandalone() {
            String database = uri.path();
            return Standalone.of(uri.host(), uri.port(6379), database == null ? 0 : Integer.parseInt(database));
        }

        @Override
        public @Nullable String getUsername() {
            return uri.username();
        }

        @Override
        public @Nullable String getPassword() {
            return uri.password();
        }
    }
}
