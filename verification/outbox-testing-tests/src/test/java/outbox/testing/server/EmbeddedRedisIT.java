package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EmbeddedRedisIT {

    @Test
    void whatWasAnsweredSurvivesACrash() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.launch()) {
            assertThat(ask(redis, "SET outbox:test 42")).isEqualTo("+OK\r\n");
            redis.kill();
            assertThatThrownBy(() -> ask(redis, "PING")).isInstanceOf(IOException.class);

            redis.start();

            assertThat(ask(redis, "GET outbox:test")).isEqualTo("$2\r\n42\r\n");
        }
    }

    @Test
    void theSharedServerIsOnePerJvm() {
        assertThat(EmbeddedRedis.shared()).isEqualTo(EmbeddedRedis.shared()).startsWith("redis://");
    }

    private static String ask(EmbeddedRedis redis, String command) throws IOException {
        try (Socket socket = new Socket(FreePort.LOOPBACK, redis.port())) {
            socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.substring(0, answer.length() - "+OK\r\n".length());
        }
    }
}
