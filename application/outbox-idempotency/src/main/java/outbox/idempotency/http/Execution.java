package outbox.idempotency.http;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import outbox.idempotency.IdempotencyKey;
import outbox.util.StoredError;

/** The only request that runs under its key. It ends with its answer, or is released. Thread-safe. */
public final class Execution {
    private static final Logger LOG = System.getLogger(Execution.class.getName());

    private final IdempotentAnswers answers;
    private final IdempotencyKey key;
    private final String owner;
    private final Duration ttl;

    Execution(IdempotentAnswers answers, IdempotencyKey key, String owner, Duration ttl) {
        this.answers = answers;
        this.key = key;
        this.owner = owner;
        this.ttl = ttl;
    }

    public IdempotencyKey key() {
        return key;
    }

    String owner() {
        return owner;
    }

    Duration ttl() {
        return ttl;
    }

    /**
     * The first statement of the transaction of the request: locks its key until that transaction ends.
     *
     * @return {@code false} if another request took the key; then this one must not run
     */
    public boolean hold() {
        return answers.hold(this);
    }

    /** @return whether the key still belongs to this request */
    boolean renew() {
        return answers.renew(this);
    }

    /** Keeps the key while the request runs without such a transaction. */
    public void keepAlive() {
        answers.keepAlive(this);
    }

    /** Stores the answer in the transaction of the request, as its last statement. */
    public void store(HttpAnswer answer) {
        answers.store(this, answer);
    }

    /** Stores the answer in a transaction of its own. If that fails, a repeated request runs again; the log says so. */
    public void storeAlone(HttpAnswer answer) {
        answers.ended(this);
        try {
            answers.storeAlone(this, answer);
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            LOG.log(
                    Level.WARNING,
                    "answer of idempotency key " + key + " could not be stored; a repeated request gets 409 until the"
                            + " lease of the key has expired, and then runs again",
                    e);
        }
    }

    /** Ends without an answer: the same request can run again under this key. */
    public void release(String reason) {
        answers.ended(this);
        try {
            answers.release(this, Objects.requireNonNull(StoredError.clean(reason)));
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "idempotency key " + key + " could not be released; it can be used again after its lease has"
                            + " expired",
                    e);
        }
    }
}
