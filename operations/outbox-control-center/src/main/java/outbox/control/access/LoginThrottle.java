package outbox.control.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes guessing slow: after a few failures an account, and an address, have to wait, twice as long each time. An attempt
 * counts as a failure until it is known to be none, so that many at once gain nothing. Who did not fail for an hour after
 * his last wait starts anew. It is bounded: of many accounts and addresses the ones that failed longest ago are forgotten
 * first. Thread-safe.
 */
public final class LoginThrottle {
    private static final int FREE_FAILURES = 4;
    private static final int ADDRESS_FREE_FAILURES = 20;
    private static final Duration FIRST_WAIT = Duration.ofSeconds(2);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(15);
    private static final Duration FORGOTTEN_AFTER = Duration.ofHours(1);
    private static final int KEPT = 10_000;

    private final InstantSource clock;
    private final Map<String, Failures> failures = new LinkedHashMap<>(); // guarded by this

    public LoginThrottle(InstantSource clock) {
        this.clock = clock;
    }

    /** @param before how it was before the last attempt */
    private record Failures(int count, Instant until, Instant before) {}

    /**
     * Begins an attempt, unless this account from this address has to wait.
     *
     * @return how long it has to wait; zero if it may try now, and then it counts as failed until {@link #succeeded} or
     *     {@link #withdrawn}
     */
    public synchronized Duration attempt(String account, String address) {
        Duration first = left("account " + account);
        Duration second = left("address " + address);
        Duration wait = first.compareTo(second) > 0 ? first : second;
        if (wait.isZero()) {
            count("account " + account, FREE_FAILURES);
            count("address " + address, ADDRESS_FREE_FAILURES);
        }
        return wait;
    }

    private Duration left(String key) {
        Failures failed = failures.get(key);
        if (failed == null) {
            return Duration.ZERO;
        }
        Duration left = Duration.between(clock.instant(), failed.until());
        return left.isNegative() ? Duration.ZERO : left;
    }

    private void count(String key, int free) {
        Failures before = failures.remove(key);
        boolean anew = before == null || before.until().plus(FORGOTTEN_AFTER).isBefore(clock.instant());
        int count = before == null || anew ? 1 : before.count() + 1;
        long doublings = Math.max(0, Math.min(20, count - free - 1));
        Duration wait = count <= free ? Duration.ZERO : FIRST_WAIT.multipliedBy(1L << doublings);
        Instant until = clock.instant().plus(wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait);
        failures.put(key, new Failures(count, until, before == null || anew ? until : before.until()));
        if (failures.size() > KEPT) {
            failures.remove(failures.keySet().iterator().next());
        }
    }

    /** The right password: the account starts anew, the address is where it was before. */
    public synchronized void succeeded(String account, String address) {
        failures.remove("account " + account);
        takeBack("address " + address);
    }

    /** Nobody could say whether the password was right. */
    public synchronized void withdrawn(String account, String address) {
        takeBack("account " + account);
        takeBack("address " + address);
    }

    /** As if there had been no attempt. Nobody tries while he has to wait, so there is no wait then. */
    private void takeBack(String key) {
        failures.computeIfPresent(
                key,
                (same, now) -> now.count() == 1 ? null : new Failures(now.count() - 1, now.before(), now.before()));
    }
}
