package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class EmbeddedKafkaIT {

    @Test
    void listensUnderOneAddressBeforeAndAfterACrash() throws IOException {
        try (EmbeddedKafka broker = EmbeddedKafka.launch()) {
            String address = broker.bootstrapServers();
            connect(address);
            broker.kill();
            assertThatThrownBy(() -> connect(address)).isInstanceOf(IOException.class);

            broker.start();

            assertThat(broker.bootstrapServers()).isEqualTo(address);
            connect(address);
        }
    }

    private static void connect(String address) throws IOException {
        String[] parts = address.split(":", -1);
        new Socket(parts[0], Integer.parseInt(parts[1])).close();
    }
}
