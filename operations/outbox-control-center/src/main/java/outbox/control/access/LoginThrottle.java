package outbox.control.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slows down password guessing: after a few failures an account, and an address, must wait, twice as long each time. A
 * device that has logged in to an account before is counted by itself, so that others cannot lock its user out. An attempt counts as a failure until it succeeds, so that concurrent attempts gain nothing. The count is reset an hour
 * after the last wait. Memory is bounded: the oldest failures are forgotten first. Thread-safe.
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

    /** @param before the state before the last attempt */
    private record Failures(int count, Instant until, Instant before) {}

    /** What is throttled: an account and the address it is tried from, or a device that has logged in to it before. */
    public sealed interface Client {
        /** @param address of the client */
        record Unknown(String account, String address) implements Client {}

        /** @param id of the device; guesses from elsewhere do not count against it */
        record KnownDevice(String account, String id) implements Client {}
    }

    private static Map<String, Integer> limits(Client client) {
        if (client instanceof Client.KnownDevice device) {
            return Map.of("device " + device.id() + " " + device.account(), FREE_FAILURES);
        }
        Client.Unknown unknown = (Client.Unknown) client;
        return Map.of(
                "account " + unknown.account(), FREE_FAILURES, "address " + unknown.address(), ADDRESS_FREE_FAILURES);
    }

    /**
     * Begins an attempt, unless this client has to wait.
     *
     * @return how long it has to wait; zero if it may try now, and then it counts as failed until {@link #succeeded} or
     *     {@link #withdrawn}
     */
    public synchronized Duration attempt(Client client) {
        Map<String, Integer> limits = limits(client);
        Duration wait = limits.keySet().stream()
                .map(this::left)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        if (wait.isZero()) {
            limits.forEach(this::count);
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

    /** The password was correct: resets the account and reverts the count of the address. */
    public synchronized void succeeded(Client client) {
        if (client instanceof Client.Unknown unknown) {
            failures.remove("account " + unknown.account());
            takeBack("address " + unknown.address());
        } else {
            limits(client).keySet().forEach(failures::remove);
        }
    }

    /** The password could not be checked. */
    public synchronized void withdrawn(Client client) {
        limits(client).keySet().forEach(this::takeBack);
    }

    /** Reverts an attempt. Attempts are only made while there is no wait, so none is restored. */
    private void takeBack(String key) {
        failures.computeIfPresent(
                key,
                (same, now) -> now.count() == 1 ? null : new Failures(now.count() - 1, now.before(), now.before()));
    }
}
