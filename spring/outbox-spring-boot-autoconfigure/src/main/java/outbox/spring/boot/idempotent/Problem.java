package outbox.spring.boot.idempotent;

import java.io.Serial;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import outbox.spring.boot.idempotent.IdempotentMetrics.Outcome;

/** A request that is answered with {@code application/problem+json} instead of running. */
final class Problem extends RuntimeException {
    static final String MEDIA_TYPE = "application/problem+json";

    @Serial
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** What is wrong. */
    enum Kind {
        KEY_MISSING(400, Outcome.REJECTED, "Idempotency key is missing"),
        KEY_INVALID(400, Outcome.REJECTED, "Idempotency key is not valid"),
        IN_PROGRESS(409, Outcome.IN_PROGRESS, "Request is in progress"),
        ANSWER_NOT_KEPT(409, Outcome.REPLAYED, "Answer was not kept"),
        BODY_TOO_LARGE(413, Outcome.REJECTED, "Request is too large"),
        MULTIPART(415, Outcome.REJECTED, "Multipart requests are not supported"),
        OTHER_REQUEST(422, Outcome.CONFLICT, "Idempotency key was used for another request");

        final int status;
        final Outcome outcome;
        private final String title;

        Kind(int status, Outcome outcome, String title) {
            this.status = status;
            this.outcome = outcome;
            this.title = title;
        }

        String type() {
            return "urn:outbox:idempotency:" + name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    Problem(Kind kind, String detail) {
        super(detail, null, false, false);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    /** The members of the body. */
    Map<String, Object> body() {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("type", kind.type());
        body.put("title", kind.title);
        body.put("status", kind.status);
        body.put("detail", String.valueOf(getMessage()));
        return body;
    }
}
