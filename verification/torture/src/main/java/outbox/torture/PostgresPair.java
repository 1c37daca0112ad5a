package outbox.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

/**
 * PostgreSQL with TLS and a streaming hot standby. TLS, because the driver waits for the answer of a server that accepts its
 * connection for ever, unless it insists on TLS or has a socket timeout.
 */
final class PostgresPair extends ReplicatedPair {
    private static final String MAINTENANCE = "postgres";
    private static final String STANDBY = "standby";

    private PostgresPair(Replication replication, EmbeddedServer primary, EmbeddedServer standby, Link link) {
        super(replication, primary, standby, link);
    }

    static PostgresPair start(Replication replication) throws IOException, InterruptedException, SQLException {
        ServerOptions options = ServerOptions.defaults().with("wal_keep_size", "512MB");
        EmbeddedServer primary = EmbeddedPostgres.start(options);
        Link link = new Link(primary.port());
        EmbeddedServer standby = EmbeddedPostgres.start(options.with(
                "primary_conninfo",
                "host=127.0.0.1 port=" + link.port() + " user=" + primary.username() + " application_name=" + STANDBY));
        SelfSignedCertificate.write(data(primary));
        execute(primary, MAINTENANCE, "ALTER SYSTEM SET ssl = on");
        copyData(primary, standby);
        if (replication == Replication.SYNCHRONOUS) {
            execute(
                    primary,
                    MAINTENANCE,
                    "ALTER SYSTEM SET synchronous_standby_names = '" + STANDBY + "'",
                    "SELECT pg_reload_conf()");
        }
        String expected = replication == Replication.SYNCHRONOUS ? "sync" : "async";
        await(
                "the standby to follow",
                () -> answers(
                        primary,
                        MAINTENANCE,
                        "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'",
                        "sync_state",
                        expected));
        return new PostgresPair(replication, primary, standby, link);
    }

    /** The binaries come without pg_basebackup; the files of a server that was shut down are a base backup too. */
    private static void copyData(EmbeddedServer primary, EmbeddedServer standby)
            throws IOException, InterruptedException {
        standby.stop();
        primary.stop();
        Path target = data(standby);
        Process copy = new ProcessBuilder(
                        "sh",
                        "-c",
                        "rm -rf \"$2\" && cp -a \"$1\" \"$2\"",
                        "sh",
                        data(primary).toString(),
                        target.toString())
                .inheritIO()
                .start();
        if (copy.waitFor() != 0) {
            throw new IOException("the data of the primary cannot be copied to " + target);
        }
        Files.createFile(target.resolve("standby.signal"));
        primary.start();
        standby.start();
    }

    private static Path data(EmbeddedServer server) {
        return server.directory().resolve("data");
    }

    /** The account of the tests may do everything everywhere. */
    @Override
    void admit(String database) {}

    @Override
    String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + primary().port() + ",127.0.0.1:"
                + standby().port() + "/" + database + "?targetServerType=primary&sslmode=require";
    }

    @Override
    String socketTimeout(Duration timeout) {
        return "&socketTimeout=" + timeout.toSeconds();
    }

    @Override
    String username() {
        return primary().username();
    }

    @Override
    String password() {
        return primary().password();
    }

    @Override
    boolean hasAppliedAll() throws SQLException {
        return answers(
                standby(),
                MAINTENANCE,
                "SELECT pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AS applied",
                "applied",
                "t");
    }

    @Override
    void promote() throws SQLException {
        if (!answers(standby(), MAINTENANCE, "SELECT pg_promote(true, 60) AS promoted", "promoted", "t")) {
            throw new IllegalStateException("the standby was not promoted within 60 s");
        }
    }
}
