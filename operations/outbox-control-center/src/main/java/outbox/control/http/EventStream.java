package outbox.control.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Server-sent events to one page. Servers reuse request and response objects, so nothing is written to them, and they
 * are not completed again, after the request has ended. Thread-safe.
 */
final class EventStream implements AutoCloseable {
    private final AsyncContext async;
    private final ServletOutputStream out;
    private boolean ended; // guarded by this

    EventStream(AsyncContext async, ServletOutputStream out) {
        this.async = async;
        this.out = out;
        async.setTimeout(0);
        async.addListener(new End());
    }

    void send(String event, Object data) throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes(("event: " + event + "\ndata: ").getBytes(StandardCharsets.UTF_8));
        message.writeBytes(Json.bytes(data));
        message.writeBytes("\n\n".getBytes(StandardCharsets.UTF_8));
        send(message.toByteArray());
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    private synchronized void send(byte[] message) throws IOException {
        if (ended) {
            throw new IOException("the page was closed");
        }
        out.write(message);
        out.flush();
    }

    /** Completes the request, unless it has already ended. */
    @Override
    public synchronized void close() {
        if (!ended) {
            ended = true;
            try {
                async.complete();
            } catch (IllegalStateException e) {
                // the server is completing it, because the page was closed
            }
        }
    }

    private synchronized void ended() {
        ended = true;
    }

    private final class End implements AsyncListener {
        /** Otherwise the server would render its error page. */
        @Override
        public void onError(AsyncEvent event) {
            close();
        }

        @Override
        public void onComplete(AsyncEvent event) {
            ended();
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
