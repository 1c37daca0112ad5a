package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class EmbeddedQpidTest {

    @Test
    void greetsAsAnAmqpBrokerUntilItIsClosed() throws IOException {
        EmbeddedQpid broker = EmbeddedQpid.launch();
        try (broker;
                Socket socket = new Socket("127.0.0.1", broker.port())) {
            socket.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
            assertThat(socket.getInputStream().read()).as("a method frame").isEqualTo(1);
        }
        broker.close();
        assertThatThrownBy(() -> new Socket("127.0.0.1", broker.port()).close()).isInstanceOf(IOException.class);
    }
}
