package outbox.control.access;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Limits concurrent hashing: each hash takes megabytes and a core, and login needs no permission. Thread-safe. */
final class LimitedPasswordHasher implements PasswordHasher {
    private static final int AT_ONCE = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final PasswordHasher hasher;
    private final Duration patience;
    private final Semaphore free = new Semaphore(AT_ONCE, true);

    LimitedPasswordHasher(PasswordHasher hasher) {
        this(hasher, PATIENCE);
    }

    LimitedPasswordHasher(PasswordHasher hasher, Duration patience) {
        this.hasher = hasher;
        this.patience = patience;
    }

    @Override
    public String hash(String password) {
        return inTurn(() -> hasher.hash(password));
    }

    @Override
    public boolean matches(String password, String hash) {
        return inTurn(() -> hasher.matches(password, hash));
    }

    private <T> T inTurn(Supplier<T> work) {
        try {
            if (!free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException(
                        "too many passwords are being checked at the moment; waited " + patience.toMillis() + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted before a password could be checked", e);
        }
        try {
            return work.get();
        } finally {
            free.release();
        }
    }
}
