package outbox.spi;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * How a delivery ended, as it is to be written to its row.
 *
 * <p>{@code attempts} is the number of attempts made so far, this one included: the row holds that number afterwards,
 * whatever it held before, so that no attempt is counted twice.
 *
 * <p>Code that treats the kinds differently calls {@link #match} or {@link #accept}: with a new kind it does not compile
 * until it decides about it.
 */
public sealed interface Settlement {
    String eventId();

    /** The result of the function for this kind. */
    <R> R match(
            Function<? super Done, ? extends R> done,
            Function<? super Delete, ? extends R> delete,
            Function<? super Retry, ? extends R> retry,
            Function<? super Dead, ? extends R> dead,
            Function<? super Release, ? extends R> release);

    /** Calls the consumer for this kind. */
    default void accept(
            Consumer<? super Done> done,
            Consumer<? super Delete> delete,
            Consumer<? super Retry> retry,
            Consumer<? super Dead> dead,
            Consumer<? super Release> release) {
        Runnable chosen = match(
                it -> () -> done.accept(it),
                it -> () -> delete.accept(it),
                it -> () -> retry.accept(it),
                it -> () -> dead.accept(it),
                it -> () -> release.accept(it));
        chosen.run();
    }

    /** Delivered: status DONE; attempts stay. */
    record Done(String eventId) implements Settlement {
        @Override
        public <R> R match(
                Function<? super Done, ? extends R> done,
                Function<? super Delete, ? extends R> delete,
                Function<? super Retry, ? extends R> retry,
                Function<? super Dead, ? extends R> dead,
                Function<? super Release, ? extends R> release) {
            return done.apply(this);
        }
    }

    /** Delivered, and the row is not needed any more. */
    record Delete(String eventId) implements Settlement {
        @Override
        public <R> R match(
                Function<? super Done, ? extends R> done,
                Function<? super Delete, ? extends R> delete,
                Function<? super Retry, ? extends R> retry,
                Function<? super Dead, ? extends R> dead,
                Function<? super Release, ? extends R> release) {
            return delete.apply(this);
        }
    }

    /** Failed: status RETRY, due again after {@code delay} by the database's clock. */
    record Retry(String eventId, int attempts, Duration delay, String error) implements Settlement {
        @Override
        public <R> R match(
                Function<? super Done, ? extends R> done,
                Function<? super Delete, ? extends R> delete,
                Function<? super Retry, ? extends R> retry,
                Function<? super Dead, ? extends R> dead,
                Function<? super Release, ? extends R> release) {
            return retry.apply(this);
        }
    }

    /** Failed for the last time: status DEAD; {@code done_at} is when it died, by the database's clock. */
    record Dead(String eventId, int attempts, String error) implements Settlement {
        @Override
        public <R> R match(
                Function<? super Done, ? extends R> done,
                Function<? super Delete, ? extends R> delete,
                Function<? super Retry, ? extends R> retry,
                Function<? super Dead, ? extends R> dead,
                Function<? super Release, ? extends R> release) {
            return dead.apply(this);
        }
    }

    /**
     * Not attempted: the lease ends, status stays, due again after {@code delay}; with zero its due time stays as it is.
     *
     * @param attempts those made before this delivery
     */
    record Release(String eventId, int attempts, Duration delay) implements Settlement {
        public Release(String eventId, int attempts) {
            this(eventId, attempts, Duration.ZERO);
        }

        @Override
        public <R> R match(
                Function<? super Done, ? extends R> done,
                Function<? super Delete, ? extends R> delete,
                Function<? super Retry, ? extends R> retry,
                Function<? super Dead, ? extends R> dead,
                Function<? super Release, ? extends R> release) {
            return release.apply(this);
        }
    }
}
