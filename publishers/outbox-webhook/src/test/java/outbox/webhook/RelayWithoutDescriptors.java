package outbox.webhook;

import java.io.FileInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * The main class of a process that runs out of file descriptors while a client connects to its relay. It prints how many
 * warnings that cost, and what the client was answered once there were descriptors again.
 */
final class RelayWithoutDescriptors {
    /** Many times what a relay that waits between its attempts logs in that time. */
    private static final int TOO_MANY = 100;

    private static final Duration WITHOUT = Duration.ofSeconds(3);

    private final Deque<FileInputStream> spares = new ArrayDeque<>();
    private final AtomicLong warnings = new AtomicLong();
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch tooMany = new CountDownLatch(TOO_MANY);

    private RelayWithoutDescriptors() {}

    public static void main(String[] args) throws Exception {
        new RelayWithoutDescriptors().run();
        System.exit(0);
    }

    private void run() throws Exception {
        Logger log = Logger.getLogger(EgressRelay.class.getName());
        log.setUseParentHandlers(false);
        log.addHandler(new Counting());
        HostLookups nowhere = new HostLookups(
                new DestinationGuard(new AddressRules(List.of()), false, host -> {
                    throw new UnknownHostException(host);
                }),
                Runnable::run);
        try (EgressRelay relay = new EgressRelay(nowhere, Duration.ofSeconds(20))) {
            ask(relay, new Socket(relay.address().getAddress(), relay.address().getPort())); // loads all classes
            takeAllDescriptors();
            spares.pop().close();
            Socket client =
                    new Socket(relay.address().getAddress(), relay.address().getPort()); // the last one
            if (!first.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the relay accepted a connection without a descriptor");
            }
            boolean flooded = tooMany.await(WITHOUT.toMillis(), TimeUnit.MILLISECONDS);
            long logged = warnings.get();
            while (!spares.isEmpty()) {
                spares.pop().close();
            }
            System.out.println("flooded=" + flooded + " answer=" + ask(relay, client));
            System.err.println(logged + " warnings");
        }
    }

    private void takeAllDescriptors() {
        while (true) {
            try {
                spares.push(new FileInputStream("/dev/null"));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static String ask(EgressRelay relay, Socket client) throws IOException {
        try (client) {
            client.setSoTimeout(60_000);
            String request = "CONNECT nowhere.test:1 HTTP/1.1\r\nHost: nowhere.test:1\r\nProxy-Authorization: "
                    + relay.authorization() + "\r\n\r\n";
            client.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(client.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
        }
    }

    private final class Counting extends Handler {
        @Override
        public void publish(LogRecord logged) {
            if (logged.getThrown() != null) {
                warnings.incrementAndGet();
                first.countDown();
                tooMany.countDown();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
