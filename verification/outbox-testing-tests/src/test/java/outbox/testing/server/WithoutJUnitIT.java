package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program, or a test on another framework, starts servers without JUnit on its class path. */
class WithoutJUnitIT {

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "redis"})
    void aServerStartsInAProgramWithoutJUnit(String server) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        withoutJUnit(),
                        Program.class.getName(),
                        server)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output).contains("no JUnit here").contains("started " + server);
        assertThat(process.waitFor()).isZero();
    }

    private static String withoutJUnit() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("junit") && !entry.contains("opentest4j"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Runs in the other JVM. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            try {
                Class.forName("org.junit.jupiter.api.Test");
            } catch (ClassNotFoundException e) {
                System.out.println("no JUnit here");
            }
            switch (arguments[0]) {
                case "h2" -> EmbeddedH2.shared().freshDatabase();
                case "postgresql" -> EmbeddedPostgres.shared().freshDatabase();
                case "redis" -> EmbeddedRedis.shared();
                default -> throw new IllegalArgumentException(arguments[0]);
            }
            System.out.println("started " + arguments[0]);
        }
    }
}
