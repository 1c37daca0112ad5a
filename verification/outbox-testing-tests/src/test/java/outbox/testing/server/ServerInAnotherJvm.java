package outbox.testing.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** A second JVM that starts a server and waits, so that a test can end that JVM. */
final class ServerInAnotherJvm {

    /** How the JVM comes to its end. */
    enum End {
        EXIT,
        TERM,
        KILL
    }

    private final Process jvm;
    private final BufferedReader output;
    private final long serverPid;
    private final Path directory;

    private ServerInAnotherJvm(Process jvm, BufferedReader output, long serverPid, Path directory) {
        this.jvm = jvm;
        this.output = output;
        this.serverPid = serverPid;
        this.directory = directory;
    }

    /** Runs in the other JVM. */
    public static void main(String[] arguments) throws IOException {
        EmbeddedServer server = switch (arguments[0]) {
            case "postgresql" -> EmbeddedPostgres.start(ServerOptions.defaults());
            case "mysql" -> EmbeddedMySql.start(ServerOptions.defaults());
            case "mariadb" -> EmbeddedMariaDb.start(ServerOptions.defaults());
            default -> throw new IllegalArgumentException(arguments[0]);
        };
        Runtime.getRuntime().addShutdownHook(new Thread(() -> closeApplication(server)));
        System.out.println(server.pid());
        System.out.println(server.directory());
        // The end of the input is the sign to leave.
        int end = System.in.read();
        System.exit(end == -1 ? 0 : 1);
    }

    /** Shutdown hooks run at the same time. That of an application needs its database for a while. */
    private static void closeApplication(EmbeddedServer server) {
        long begin = System.nanoTime();
        try (Connection connection = server.freshDatabase().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(3)) {
                statement.execute("SELECT 1");
            }
            System.out.println("closed in order");
        } catch (SQLException | RuntimeException e) {
            System.out.println("lost its server: " + e);
        }
    }

    static ServerInAnotherJvm start(String name) throws IOException {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServerInAnotherJvm.class.getName(),
                        name)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8));
        return new ServerInAnotherJvm(jvm, output, Long.parseLong(output.readLine()), Path.of(output.readLine()));
    }

    long serverPid() {
        return serverPid;
    }

    Path directory() {
        return directory;
    }

    /** Returns how its application closed. */
    String lastWords() throws IOException {
        return output.readLine();
    }

    void end(End end) throws Exception {
        switch (end) {
            case EXIT -> jvm.getOutputStream().close();
            case TERM -> jvm.toHandle().destroy(); // which leaves its output open
            case KILL -> jvm.destroyForcibly();
        }
        if (!jvm.waitFor(2, TimeUnit.MINUTES)) {
            throw new IllegalStateException("The other JVM does not end");
        }
    }
}
