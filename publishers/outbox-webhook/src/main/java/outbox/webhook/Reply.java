package outbox.webhook;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * The response of a receiver. Only status and headers matter. The body is read for a limited time so that the
 * connection can be reused, and only its beginning is kept. Thread-safe.
 */
final class Reply implements AsyncResponseConsumer<Void> {
    /** The connection is closed if the body is larger than this. */
    private static final long MAX_BODY_BYTES = 64 * 1024;

    private static final int KEPT_BYTES = 4096;

    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream(); // guarded by itself
    private volatile @Nullable HttpResponse head;
    private volatile @Nullable FutureCallback<Void> end;
    private long received;

    /** Whether status and headers are here. */
    boolean hasBegun() {
        return head != null;
    }

    int statusCode() {
        return begun().getCode();
    }

    @Nullable
    String header(String name) {
        Header header = begun().getFirstHeader(name);
        return header == null ? null : header.getValue();
    }

    /** The first bytes of the body, as UTF-8. */
    String beginning() {
        synchronized (beginning) {
            return beginning.toString(StandardCharsets.UTF_8);
        }
    }

    private HttpResponse begun() {
        HttpResponse present = head;
        if (present == null) {
            throw new IllegalStateException("there is no reply yet");
        }
        return present;
    }

    @Override
    public void consumeResponse(
            HttpResponse response,
            @Nullable EntityDetails body,
            HttpContext context,
            FutureCallback<Void> resultCallback) {
        head = response;
        if (body == null) {
            resultCallback.completed(null);
        } else {
            end = resultCallback;
        }
    }

    @Override
    public void updateCapacity(CapacityChannel channel) throws IOException {
        channel.update(Integer.MAX_VALUE);
    }

    @Override
    public void consume(ByteBuffer bytes) throws IOException {
        received += bytes.remaining();
        synchronized (beginning) {
            byte[] kept = new byte[Math.min(bytes.remaining(), KEPT_BYTES - beginning.size())];
            bytes.duplicate().get(kept);
            beginning.writeBytes(kept);
        }
        bytes.position(bytes.limit());
        if (received > MAX_BODY_BYTES) {
            throw new IOException("the body of the response is larger than " + MAX_BODY_BYTES + " bytes");
        }
    }

    @Override
    public void streamEnd(@Nullable List<? extends Header> trailers) {
        FutureCallback<Void> waiting = end;
        if (waiting != null) {
            waiting.completed(null);
        }
    }

    @Override
    public void informationResponse(HttpResponse response, HttpContext context) {}

    @Override
    public void failed(Exception cause) {}

    @Override
    public void releaseResources() {}
}
