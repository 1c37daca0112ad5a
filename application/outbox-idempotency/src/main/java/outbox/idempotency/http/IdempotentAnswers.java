package outbox.idempotency.http;

import java.time.Duration;
import java.util.Objects;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.CreateWork.NewId;
import outbox.idempotency.IdempotencyKey;
import outbox.idempotency.IdempotencyRecords;
import outbox.idempotency.IdempotencyRecords.Claim;
import outbox.idempotency.Ulid128;

/**
 * Keeps the answers to requests with a key, as {@link IdempotencyRecords}. Thread-safe.
 *
 * <p>A key is claimed in a short transaction before the request runs. A request that runs in a transaction which stores its
 * answer ({@link Execution#hold} and {@link Execution#store}) keeps its key for as long as that transaction lasts. Any
 * other one has its lease renewed until it ends ({@link Execution#keepAlive}).
 */
public final class IdempotentAnswers implements AutoCloseable {
    /** Default lease of a key: how soon another request can take it after its process died. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    /** Default time to keep an answer. */
    public static final Duration DEFAULT_TTL = Duration.ofDays(1);

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    private final IdempotencyRecords records;
    private final TransactionRunner transactions;
    private final PayloadSerializer serializer;
    private final Duration lease;
    private final LeaseRenewal renewal;

    /** What becomes of a request. */
    public sealed interface Start {
        /** It runs now. */
        record Granted(Execution execution) implements Start {}

        /** It ran before. */
        record Answered(HttpAnswer answer) implements Start {}

        /** It runs elsewhere at the moment. */
        record InProgress() implements Start {}

        /** The key belongs to another request. */
        record OtherRequest() implements Start {}
    }

    /**
     * @param transactions those of the records
     * @param lease at least a second
     */
    public IdempotentAnswers(
            IdempotencyRecords records, TransactionRunner transactions, PayloadSerializer serializer, Duration lease) {
        this.records = Objects.requireNonNull(records, "records");
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.serializer = Objects.requireNonNull(serializer, "serializer");
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException("lease must be at least " + SHORTEST_LEASE + ": " + lease);
        }
        this.lease = lease;
        this.renewal = new LeaseRenewal(lease);
    }

    /**
     * Claims the key of a request.
     *
     * @param digest of everything that makes the request another one
     * @param ttl how long the answer is kept
     */
    public Start start(IdempotencyKey key, String digest, Duration ttl) {
        Ulid128 id = Ulid128.next();
        Claim claim = records.claim(key, digest, new NewId(id, id.text()), lease, ttl);
        if (claim instanceof Claim.Granted granted) {
            return new Start.Granted(new Execution(this, key, granted.owner(), ttl));
        }
        if (claim instanceof Claim.Succeeded first) {
            return new Start.Answered(serializer.deserialize(
                    Objects.requireNonNull(first.resultJson(), "result of " + key), HttpAnswer.class));
        }
        return claim instanceof Claim.Conflict ? new Start.OtherRequest() : new Start.InProgress();
    }

    /** Stops renewing leases. */
    @Override
    public void close() {
        renewal.close();
    }

    void keepAlive(Execution execution) {
        renewal.add(execution);
    }

    void ended(Execution execution) {
        renewal.remove(execution);
    }

    boolean renew(Execution execution) {
        return records.renew(execution.key(), execution.owner(), lease);
    }

    boolean hold(Execution execution) {
        return records.hold(execution.key(), execution.owner());
    }

    void store(Execution execution, HttpAnswer answer) {
        records.succeeded(execution.key(), execution.owner(), serializer.serialize(answer), execution.ttl());
    }

    void storeAlone(Execution execution, HttpAnswer answer) throws Exception {
        transactions.run(TxMode.REQUIRES_NEW, () -> {
            store(execution, answer);
            return answer;
        });
    }

    void release(Execution execution, String reason) {
        records.failed(execution.key(), execution.owner(), reason);
    }
}
