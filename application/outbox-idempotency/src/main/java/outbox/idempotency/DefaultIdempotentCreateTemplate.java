package outbox.idempotency;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.CreateRequest.ResultSource;
import outbox.idempotency.IdempotencyRecords.Claim;
import outbox.spi.TxContext;
import outbox.util.StoredError;

/**
 * The template on any {@link IdempotencyRecords}. Thread-safe.
 *
 * <h2>Concurrent callers</h2>
 *
 * The key is claimed in a short transaction before the work, so that others see it is in progress; they poll and hold
 * no connection meanwhile. The transaction of the work then locks the claimed row, so the claim lasts as long as that
 * transaction. If the process dies, the database releases the lock, and after the lease has expired the next caller
 * takes the key. See {@code docs/decisions/idempotent-create.md}.
 */
public final class DefaultIdempotentCreateTemplate implements IdempotentCreateTemplate {
    /** Lease of a claimed key until the transaction of the work begins. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(10);

    private static final Logger LOG = System.getLogger(DefaultIdempotentCreateTemplate.class.getName());
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final Duration ASK_AGAIN = Duration.ofSeconds(1);

    private final IdempotencyRecords records;
    private final TransactionRunner transactions;
    private final TxContext txContext;
    private final DomainEventPublisher publisher;
    private final PayloadSerializer serializer;
    private final Duration lease;

    public DefaultIdempotentCreateTemplate(
            IdempotencyRecords records,
            TransactionRunner transactions,
            TxContext txContext,
            DomainEventPublisher publisher,
            PayloadSerializer serializer) {
        this(records, transactions, txContext, publisher, serializer, DEFAULT_LEASE);
    }

    /** @param txContext the transaction context of {@code transactions} */
    public DefaultIdempotentCreateTemplate(
            IdempotencyRecords records,
            TransactionRunner transactions,
            TxContext txContext,
            DomainEventPublisher publisher,
            PayloadSerializer serializer,
            Duration lease) {
        this.records = Objects.requireNonNull(records, "records");
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.txContext = Objects.requireNonNull(txContext, "txContext");
        this.publisher = Objects.requireNonNull(publisher, "publisher");
        this.serializer = Objects.requireNonNull(serializer, "serializer");
        this.lease = Objects.requireNonNull(lease, "lease");
    }

    @Override
    public <T extends @Nullable Object> IdempotentCreateResult<T> create(CreateRequest<T> request, CreateWork<T> work) {
        Objects.requireNonNull(work, "work");
        return create(
                request,
                (internalId, publicId) -> CreateWorkWithEvents.result(
                        work.create(new CreateWork.NewId(internalId, publicId)), List.of()));
    }

    @Override
    public <T extends @Nullable Object> IdempotentCreateResult<T> create(
            CreateRequest<T> request, CreateWorkWithEvents<T> work) {
        Objects.requireNonNull(work, "work");
        String hash = hashOf(request.request());
        long begin = System.nanoTime();
        long pause = FIRST_PAUSE_NANOS;
        while (true) {
            Claim claim = records.claim(request.key(), hash, propose(request), lease, request.expiresAfter());
            if (claim instanceof Claim.Granted granted) {
                Optional<IdempotentCreateResult<T>> result = run(request, work, granted);
                if (result.isPresent()) {
                    return result.get();
                }
            } else if (claim instanceof Claim.Succeeded first) {
                return replay(request, first);
            } else if (claim instanceof Claim.Conflict) {
                throw new IdempotencyConflictException("idempotency key " + request.key()
                        + " was already used for another request; use a new key for a new request");
            }
            long left = request.waitAtMost().toNanos() - (System.nanoTime() - begin);
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                throw new CreateInProgressException(
                        "creation under idempotency key " + request.key() + " is in progress; try again", ASK_AGAIN);
            }
            LockSupport.parkNanos(this, Math.min(left, pause));
            pause = Math.min(LONGEST_PAUSE_NANOS, pause * 2);
        }
    }

    private static CreateWork.NewId propose(CreateRequest<?> request) {
        Ulid128 id = Ulid128.next();
        return new CreateWork.NewId(id, request.publicIdPrefix() + id.text());
    }

    /** @return empty if another caller took the key before the transaction began */
    private <T extends @Nullable Object> Optional<IdempotentCreateResult<T>> run(
            CreateRequest<T> request, CreateWorkWithEvents<T> work, Claim.Granted claim) {
        boolean joined = request.txMode() == TxMode.REQUIRED && txContext.isTransactionActive();
        Joined outer = joined ? joinOuter(request, claim) : null;
        try {
            return transactions.run(request.txMode(), () -> {
                if (!records.hold(request.key(), claim.owner())) {
                    if (joined) { // a key cannot be taken over this quickly
                        throw new IllegalStateException("idempotency key " + request.key() + " is claimed, but the"
                                + " surrounding transaction does not see that, because it uses a snapshot from its start;"
                                + " use READ COMMITTED there, or TxMode.REQUIRES_NEW here");
                    }
                    return Optional.empty();
                }
                CreateWorkWithEventsResult<T> created = work.create(claim.internalId(), claim.publicId());
                if (!created.events().isEmpty()) { // before success is stored: it must not be stored without its events
                    publisher.publishAll(created.events(), context(request, claim));
                }
                records.succeeded(
                        request.key(), claim.owner(), toJson(request, created.value()), request.expiresAfter());
                return Optional.of(
                        new IdempotentCreateResult<>(created.value(), claim.internalId(), claim.publicId(), false));
            });
        } catch (Throwable e) {
            if (outer == null) {
                recordFailure(request, claim, e);
            } else {
                outer.failure = e;
            }
            throw rethrow(request, e);
        }
    }

    /** How the work ended in a transaction of the caller. */
    private static final class Joined {
        private volatile @Nullable Throwable failure;
    }

    /**
     * The row is locked until the outer transaction ends, so a failure can only be recorded then; and that transaction
     * may roll back although the work succeeded.
     */
    private Joined joinOuter(CreateRequest<?> request, Claim.Granted claim) {
        Joined joined = new Joined();
        txContext.afterRollback(() -> {
            Throwable failure = joined.failure;
            recordFailure(
                    request,
                    claim,
                    failure == null ? new IllegalStateException("the surrounding transaction rolled back") : failure);
        });
        txContext.afterCommit(() -> {
            Throwable failure = joined.failure;
            if (failure != null) {
                recordFailure(request, claim, failure);
            }
        });
        return joined;
    }

    private void recordFailure(CreateRequest<?> request, Claim.Granted claim, Throwable failure) {
        try {
            records.failed(request.key(), claim.owner(), Objects.requireNonNull(StoredError.clean(failure.toString())));
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            LOG.log(
                    Level.WARNING,
                    "failure under idempotency key " + request.key()
                            + " could not be recorded; the key can be used again after its lease has expired",
                    e);
        }
    }

    private static RuntimeException rethrow(CreateRequest<?> request, Throwable failure) {
        if (failure instanceof RuntimeException unchecked) {
            return unchecked;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new CreateFailedException(
                "creation under idempotency key " + request.key() + " failed: " + failure.getMessage(), failure);
    }

    private static DomainEventContext context(CreateRequest<?> request, Claim.Granted claim) {
        String type = request.aggregateType();
        return type == null ? DomainEventContext.NONE : DomainEventContext.of(type, claim.publicId());
    }

    private <T extends @Nullable Object> @Nullable String toJson(CreateRequest<T> request, T value) {
        return request.resultSource() instanceof ResultSource.Stored && value != null
                ? serializer.serialize(value)
                : null;
    }

    @SuppressWarnings("NullAway") // the first result may have been null
    private <T extends @Nullable Object> IdempotentCreateResult<T> replay(
            CreateRequest<T> request, Claim.Succeeded first) {
        T value;
        if (request.resultSource() instanceof ResultSource.Loaded<T> loaded) {
            value = loaded.loader().apply(first.publicId());
        } else {
            Class<T> type = ((ResultSource.Stored<T>) request.resultSource()).type();
            value = first.resultJson() == null ? null : serializer.deserialize(first.resultJson(), type);
        }
        return new IdempotentCreateResult<>(value, first.internalId(), first.publicId(), true);
    }

    private String hashOf(Object request) {
        byte[] content = request instanceof byte[] bytes
                ? bytes
                : (request instanceof String text ? text : serializer.serialize(request))
                        .getBytes(StandardCharsets.UTF_8);
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
