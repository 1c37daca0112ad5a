package outbox.spring.boot.test;

import outbox.spring.boot.test.EmbeddedServers.Server;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedQpid;
import outbox.testing.server.EmbeddedRedis;
import outbox.testing.server.InstalledRabbitMq;
import outbox.testing.server.TestDatabase;

/** The servers of {@link EmbeddedServers}, which start with their first use. */
final class RunningServers {
    private RunningServers() {}

    /** An empty database. */
    static TestDatabase database(Server server) {
        DatabaseServer databases = switch (server) {
            case POSTGRESQL -> EmbeddedPostgres.shared();
            case MYSQL -> EmbeddedMySql.shared();
            case MARIADB -> EmbeddedMariaDb.shared();
            case KAFKA, REDIS, RABBITMQ, QPID -> throw new IllegalArgumentException(server + " is no database");
        };
        return databases.freshDatabase();
    }

    /** Host and port, or a URI with them. */
    static String address(Server server) {
        return switch (server) {
            case KAFKA -> EmbeddedKafka.shared();
            case REDIS -> EmbeddedRedis.shared();
            case RABBITMQ -> InstalledRabbitMq.shared();
            case QPID -> EmbeddedQpid.shared();
            case POSTGRESQL, MYSQL, MARIADB -> throw new IllegalArgumentException(server + " is a database");
        };
    }
}
