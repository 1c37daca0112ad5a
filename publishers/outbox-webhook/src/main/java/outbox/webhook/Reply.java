package outbox.webhook;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The response of a receiver. Only status and headers matter. The body is read for a limited time so that the
 * connection can be reused, and only its beginning is kept. Thread-safe.
 */
final class Reply implements BodyHandler<Reply> {
    /** The connection is closed if the body is larger than this. */
    private static final long MAX_BODY_BYTES = 64 * 1024;

    private static final int KEPT_BYTES = 4096;

    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream(); // guarded by itself
    private final CompletableFuture<Reply> end = new CompletableFuture<>();
    private final CompletableFuture<Reply> body = new CompletableFuture<>();
    private volatile @Nullable ResponseInfo info;

    /** Completes when reading ends, before the HTTP client is notified. */
    CompletionStage<Reply> end() {
        return end;
    }

    /** Whether status and headers are here. */
    boolean hasBegun() {
        return info != null;
    }

    int statusCode() {
        return begun().statusCode();
    }

    HttpHeaders headers() {
        return begun().headers();
    }

    /** The first bytes of the body, as UTF-8. */
    String beginning() {
        synchronized (beginning) {
            return beginning.toString(StandardCharsets.UTF_8);
        }
    }

    private void keep(ByteBuffer buffer) {
        synchronized (beginning) {
            byte[] bytes = new byte[Math.min(buffer.remaining(), KEPT_BYTES - beginning.size())];
            buffer.duplicate().get(bytes);
            beginning.writeBytes(bytes);
        }
    }

    /** Two futures, completed in order: with one, the HTTP client would be notified first and start a thread. */
    private void finish() {
        end.complete(this);
        body.complete(this);
    }

    private ResponseInfo begun() {
        ResponseInfo present = info;
        if (present == null) {
            throw new IllegalStateException("there is no reply yet");
        }
        return present;
    }

    @Override
    public BodySubscriber<Reply> apply(ResponseInfo responseInfo) {
        this.info = responseInfo;
        return new Discarding();
    }

    private final class Discarding implements BodySubscriber<Reply> {
        private Flow.@Nullable Subscription subscription;
        private long received;

        @Override
        public CompletionStage<Reply> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                received += buffer.remaining();
                keep(buffer);
            }
            if (received > MAX_BODY_BYTES && subscription != null) {
                subscription.cancel();
                finish();
            }
        }

        @Override
        public void onError(Throwable failure) {
            finish(); // the status is known
        }

        @Override
        public void onComplete() {
            finish();
        }
    }
}
