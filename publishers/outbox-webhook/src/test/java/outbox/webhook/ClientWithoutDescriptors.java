package outbox.webhook;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import outbox.EventEnvelope;

/**
 * The main class of a process that runs out of file descriptors while it sends. It prints how a request ended without
 * descriptors, and how one ended when there were some again.
 */
final class ClientWithoutDescriptors {
    private ClientWithoutDescriptors() {}

    public static void main(String[] args) {
        Deque<FileInputStream> spares = new ArrayDeque<>();
        try (Receiver receiver = Receiver.tls();
                WebhookClient client = TestClient.builder().build()) {
            receiver.answering(Receiver.status(204, "connection", "close"));
            WebhookPublisher publisher =
                    client.publisher(TestClient.endpoint(receiver).build());
            EventEnvelope event = TestClient.event();
            TestClient.outcome(publisher, event); // loads all classes
            takeAllDescriptors(spares);
            Throwable without = TestClient.outcome(publisher, event);
            while (!spares.isEmpty()) {
                close(spares.pop());
            }
            Throwable with = TestClient.outcome(publisher, event);
            System.out.println("without=" + (without instanceof IOException) + " with=" + with);
            System.err.println(without);
        }
        System.exit(0);
    }

    private static void takeAllDescriptors(Deque<FileInputStream> spares) {
        while (true) {
            try {
                spares.push(new FileInputStream("/dev/null"));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void close(FileInputStream spare) {
        try {
            spare.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
