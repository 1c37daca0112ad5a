package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.testing.server.EmbeddedPostgres;

/** The jar as it is deployed: it starts from its environment variables alone, is ready, and ends when it is asked to. */
class DeploymentIT {
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    @TempDir
    Path directory;

    @Test
    void theJarStartsFromItsEnvironmentAndStopsGracefully() throws Exception {
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        Path.of("target", "orders.jar").toAbsolutePath().toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .putAll(Servers.environment(EmbeddedPostgres.shared().freshDatabase()));
        builder.environment().put("SERVER_PORT", "0");
        builder.environment().put("SERVER_ADDRESS", "127.0.0.1");
        Process process = builder.start();
        try {
            String port = await().atMost(Duration.ofMinutes(5))
                    .until(
                            () -> {
                                String text = Files.readString(output);
                                assertThat(process.isAlive()).as(text).isTrue();
                                Matcher started = PORT.matcher(text);
                                return started.find() ? started.group(1) : null;
                            },
                            found -> found != null);
            HttpRequest ready = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/actuator/health/readiness"))
                    .build();
            await().atMost(Duration.ofMinutes(5))
                    .until(() -> HttpClient.newHttpClient()
                                    .send(ready, HttpResponse.BodyHandlers.discarding())
                                    .statusCode()
                            == 200);

            process.destroy(); // SIGTERM, as Kubernetes sends it
            await().atMost(Duration.ofMinutes(5)).until(() -> !process.isAlive());
            assertThat(process.exitValue()).as(Files.readString(output)).isEqualTo(143);
        } finally {
            process.destroyForcibly();
        }
    }
}
