package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;
import outbox.testing.ManualClock;

/**
 * Three nodes on one table, on one thread, every turn chosen by a seed: the same seed gives the same run.
 *
 * <p>Concurrency is made of two things. Turns of all nodes alternate at random; and while a listener "runs", further
 * turns are taken inside it, of its own node too, so that time passes, leases are renewed or taken over, nodes crash
 * and rows are settled in the middle of a delivery. The same happens between a statement of the engine and its answer.
 *
 * <p>The seed also chooses the {@link Style} of the listener and whether delivered rows are marked or deleted.
 */
final class Simulation {
    private static final boolean TRACE = Boolean.getBoolean("simulation.trace");
    private static final int NODES = 3;
    private static final int TURNS = 220;
    /** Of half a second: a hostile event needs its attempts, one after another. */
    private static final int ROUNDS_TO_HEAL = 2000;

    private static final int KEYS = 4;
    private static final int ONE_IN_HOSTILE = 5;
    private static final int ONE_IN_FAULTY = 40;
    private static final Duration TIME_LIMIT = Duration.ofMinutes(1);
    private static final String LARGE = "\"" + "x".repeat(SimulatedNode.LARGE) + "\"";

    final Random random;
    final Set<Safeguard> off;
    final boolean ordered;
    final Style style;
    final CompletionMode completion;
    final boolean faults;
    /** Whether hostile events are mixed in; see {@link Hostility}. */
    final boolean hostile;

    private final ManualClock time = new ManualClock();
    final InMemoryOutboxStore table = new InMemoryOutboxStore(time);
    private final SimulatedNode[] nodes = new SimulatedNode[NODES];
    private final Duration[] skew = new Duration[NODES];
    private final List<String> violations = new ArrayList<>();

    private final Set<String> committed = new LinkedHashSet<>();
    private final Map<String, Hostility> hostilities = new LinkedHashMap<>();
    private final Map<String, Instant> diedAt = new HashMap<>();
    private final Set<String> dead = new HashSet<>();
    private final Map<String, Integer> deliveries = new HashMap<>();
    private final Map<String, List<String>> committedByKey = new HashMap<>();
    private final Map<String, Instant> dueAt = new HashMap<>();
    private int written;
    private int depth;
    private boolean healing;

    /** What kind of listener every node has. */
    enum Style {
        PLAIN,
        BATCH,
        /** With a limit and a circuit breaker. */
        CONTROLLED,
        CONTROLLED_BATCH,
        /** Returns at once; what it started ends in a turn of its own. */
        ASYNCHRONOUS
    }

    Simulation(long seed, boolean ordered, boolean faults, boolean hostile, Set<Safeguard> off) {
        this.random = new Random(seed);
        this.ordered = ordered;
        this.faults = faults;
        this.hostile = hostile;
        this.off = off;
        this.style = Style.values()[random.nextInt(Style.values().length)];
        this.completion = random.nextInt(4) == 0 ? CompletionMode.DELETE : CompletionMode.MARK;
        for (int i = 0; i < NODES; i++) {
            skew[i] = random.nextInt(3) == 0 ? Duration.ofMinutes(random.nextInt(21) - 10) : Duration.ZERO;
            start(i);
        }
    }

    private void start(int i) {
        Duration offset = skew[i];
        InstantSource clock = () -> time.instant().plus(offset);
        SimulatedNode[] self = new SimulatedNode[1];
        self[0] = new SimulatedNode(
                this, "n" + i, clock, event -> called(event.eventId()), event -> deliver(self[0], event));
        nodes[i] = self[0];
    }

    /** Tells what happens, with {@code -Dsimulation.trace=true}: for the hunt after a failing seed. */
    static void trace(Supplier<String> what) {
        if (TRACE) {
            System.out.println(what.get());
        }
    }

    void violation(String what) {
        violations.add(what);
    }

    /** @return the broken promises, empty if all was well */
    List<String> run() {
        for (int i = 0; i < TURNS && violations.isEmpty(); i++) {
            turn();
        }
        heal();
        for (String id : committed) {
            int times = deliveries.getOrDefault(id, 0);
            if (times == 0) {
                violation("lost: " + id);
            } else if (times > 1 && !faults && !hostile) {
                violation("delivered " + times + " times without a fault: " + id);
            }
        }
        hostilities.forEach((id, hostility) -> {
            if (hostility.mustDie() && !dead.contains(id)) {
                violation("never dead: " + id + " " + hostility);
            }
        });
        return violations;
    }

    private void turn() {
        SimulatedNode node = nodes[random.nextInt(NODES)];
        int choice = random.nextInt(faults ? 130 : 120);
        if (choice < 18) {
            write(node);
        } else if (choice < 36) {
            ifWorks(node, node::runHook);
        } else if (choice < 58) {
            ifWorks(node, node::work);
        } else if (choice < 64) {
            ifWorks(node, node::endOne);
        } else if (choice < 84) {
            ifWorks(node, node::settle);
        } else if (choice < 98) {
            ifWorks(node, node::poll);
        } else if (choice < 110) {
            passTime(Duration.ofMillis(random.nextInt(1600)));
        } else if (choice < 112) {
            purge();
        } else if (choice < 114) {
            replayDead();
        } else if (choice < 117) {
            skip();
        } else if (choice < 120) {
            stop(node);
        } else if (choice < 122) {
            crash(node);
        } else if (choice < 124) {
            node.paused = !node.paused;
        } else if (choice < 127) {
            node.databaseAway = !node.databaseAway;
        } else {
            node.answerLost = true;
        }
    }

    private static void ifWorks(SimulatedNode node, Runnable turn) {
        if (node.works()) {
            turn.run();
            boolean ignored = Thread.interrupted(); // what a listener leaves behind is for its own thread
        }
    }

    /** As on a thread of its own, every node renews several times within a lease, unless it is held up. */
    private void passTime(Duration by) {
        time.advance(by);
        trace(() -> "time " + time.instant());
        for (SimulatedNode node : nodes) {
            ifWorks(node, node::renew);
            ifWorks(node, node::enforceTimeLimits);
        }
    }

    Duration timeLimit() {
        return off.contains(Safeguard.TIME_LIMIT) ? Duration.ZERO : TIME_LIMIT;
    }

    /** Hostile events that are dead have what they deserve: with order, an operator puts them out of the way. */
    private void noteHostileDead() {
        for (InMemoryRow row : table.rows()) {
            String id = row.event().eventId();
            if (row.status() == EventStatus.DEAD && hostilities.containsKey(id) && dead.add(id) && ordered) {
                quietly(() -> UnitOfWork.run(table.connectionProvider(), conn -> table.park(conn, id)));
            }
        }
    }

    /** Whether the database refuses to write this. */
    boolean refuses(Settlement settlement) {
        Hostility hostility = hostilities.get(settlement.eventId());
        boolean over = healing && hostility == Hostility.REFUSED_ALWAYS;
        return hostility != null && !over && hostility.refuses(settlement);
    }

    void died(String eventId) {
        diedAt.put(eventId, time.instant());
    }

    /** What is dead is looked after before its time is over, but not at once. */
    private void purge() {
        Instant longDead = time.instant().minus(Duration.ofSeconds(20));
        replayDead(id -> diedAt.getOrDefault(id, Instant.MIN).isBefore(longDead));
        noteHostileDead();
        quietly(() -> UnitOfWork.run(
                table.connectionProvider(),
                conn -> table.purger().purge(conn, time.instant().minus(Duration.ofSeconds(30)), 5)));
    }

    private void replayDead() {
        replayDead(id -> true);
    }

    private void replayDead(Predicate<String> which) {
        for (InMemoryRow row : table.rows()) {
            String id = row.event().eventId();
            if (row.status() == EventStatus.DEAD && !hostilities.containsKey(id) && which.test(id)) {
                quietly(() -> UnitOfWork.run(table.connectionProvider(), conn -> table.replayDead(conn, id)));
            }
        }
    }

    /** An operator skips an event that failed: as good as delivered, and never delivered afterwards. */
    private void skip() {
        table.rows().stream()
                .filter(row -> row.status() == EventStatus.RETRY || row.status() == EventStatus.DEAD)
                .filter(row -> !hostilities.containsKey(row.event().eventId()))
                .findFirst()
                .ifPresent(row -> quietly(() -> {
                    String id = row.event().eventId();
                    int skipped = UnitOfWork.run(table.connectionProvider(), conn -> table.skip(conn, id));
                    trace(() -> "skip " + id + ": " + skipped);
                    return skipped == 0 ? 0 : deliveries.merge(id, 1, Integer::sum);
                }));
    }

    /** A node is stopped in good order and started again. */
    private void stop(SimulatedNode node) {
        if (node.works() && depth == 0) {
            trace(() -> "stop");
            node.stop();
            crash(node);
        }
    }

    /** The table itself never fails; only a node's way to it does. */
    private static void quietly(Callable<?> action) {
        try {
            action.call();
        } catch (Exception e) {
            throw new AssertionError("the simulated table failed", e);
        }
    }

    private void crash(SimulatedNode node) {
        for (int i = 0; i < NODES; i++) {
            if (nodes[i] == node) {
                node.crashed = true;
                start(i);
            }
        }
    }

    private void write(SimulatedNode node) {
        if (!node.works() || healing) {
            return;
        }
        List<EventEnvelope> events = new ArrayList<>();
        boolean commit = random.nextInt(6) != 0;
        for (int i = random.nextInt(3); i >= 0; i--) {
            String id = String.format("e%05d", ++written);
            Hostility hostility = hostility();
            EventEnvelope.Builder event = EventEnvelope.builder(hostility == null ? "E" : hostility.name())
                    .eventId(id)
                    .occurredAt(time.instant().minus(Duration.ofHours(random.nextInt(5) == 0 ? 1 : 0)))
                    .aggregateType("A")
                    .aggregateId("k" + random.nextInt(KEYS))
                    .payloadJson(hostile && random.nextInt(4) == 0 ? LARGE : "{}");
            if (hostility != null && commit) {
                hostilities.put(id, hostility);
            }
            if (random.nextInt(10) == 0) {
                event.deliverAfter(Duration.ofSeconds(random.nextInt(20)));
            }
            events.add(event.build());
        }
        if (commit) {
            for (EventEnvelope event : events) {
                Duration delay = event.deliverAfter();
                dueAt.put(event.eventId(), time.instant().plus(delay == null ? Duration.ZERO : delay));
                if (Hostility.of(event).isEmpty()) {
                    committed.add(event.eventId());
                }
                committedByKey
                        .computeIfAbsent(event.aggregateId(), key -> new ArrayList<>())
                        .add(event.eventId());
            }
        }
        quietly(() -> {
            node.write(events, commit);
            return null;
        });
    }

    /** Where faults are simulated, processes also die, listeners hang and outcomes are refused. */
    private @Nullable Hostility hostility() {
        if (hostile && random.nextInt(ONE_IN_HOSTILE) == 0) {
            return Hostility.values()[random.nextInt(Hostility.values().length)];
        }
        if (faults && random.nextInt(ONE_IN_FAULTY) == 0) {
            return Hostility.OF_FAULTS.get(random.nextInt(Hostility.OF_FAULTS.size()));
        }
        return null;
    }

    /** The listener of some node is called. */
    private void called(String eventId) {
        if (!committed.contains(eventId) && !hostilities.containsKey(eventId)) {
            violation("phantom: " + eventId);
        } else if (time.instant().isBefore(dueAt.get(eventId))) {
            violation("before its time: " + eventId);
        }
    }

    /** The listener of every node does its work. */
    private void deliver(SimulatedNode node, EventEnvelope event) {
        interleave(12);
        Hostility hostility = hostilities.get(event.eventId());
        if (hostility != null) {
            behave(node, hostility);
            return;
        }
        if (!healing && random.nextInt(8) == 0) {
            throw new IllegalStateException("simulated failure");
        }
        if (node.crashed && random.nextBoolean()) {
            throw new IllegalStateException("simulated: the crash came before the effect");
        }
        trace(() -> "delivered " + event.eventId());
        if (deliveries.merge(event.eventId(), 1, Integer::sum) == 1 && ordered) {
            checkOrder(event);
        }
    }

    private void behave(SimulatedNode node, Hostility hostility) {
        trace(() -> hostility.name());
        switch (hostility) {
            case INTERRUPTS, REFUSED_DONE -> {
                if (hostility == Hostility.INTERRUPTS) {
                    Thread.currentThread().interrupt();
                }
                return;
            }
            case KILLS -> crash(node);
            case HANGS, NEVER_COMPLETES -> { // on one thread it has to return some day: after its time limit
                for (Duration late = Duration.ZERO; late.compareTo(TIME_LIMIT) <= 0; late = late.plusSeconds(3)) {
                    node.paused = false; // else it would return before anybody looked
                    passTime(Duration.ofSeconds(3));
                }
                boolean deaf = random.nextBoolean();
                if (Thread.interrupted() && deaf) {
                    return; // whatever it says now comes too late
                }
            }
            default -> {}
        }
        Throwable failure = hostility.failure(random);
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    /** Now and then, lets other things happen in the middle of something that takes time. */
    void interleave(int turnsAtMost) {
        if (!healing && depth < 3 && random.nextInt(4) == 0) {
            depth++;
            for (int i = random.nextInt(turnsAtMost); i >= 0; i--) {
                turn();
            }
            depth--;
        }
    }

    private void checkOrder(EventEnvelope event) {
        for (String earlier : committedByKey.get(event.aggregateId())) {
            if (earlier.equals(event.eventId())) {
                return;
            }
            if (!deliveries.containsKey(earlier) && !hostilities.containsKey(earlier)) {
                violation("order of " + event.aggregateId() + ": " + event.eventId() + " before " + earlier);
            }
        }
    }

    /** All faults end; whatever was committed must come through. */
    private void heal() {
        healing = true;
        for (SimulatedNode node : nodes) {
            node.paused = false;
            node.databaseAway = false;
            node.answerLost = false;
        }
        for (int round = 0; round < ROUNDS_TO_HEAL && hasPending(); round++) {
            for (SimulatedNode node : nodes) { // one that dies of an event is replaced in the next round
                while (!node.crashed && node.runHook()) {}
                ifWorks(node, node::poll);
                while (!node.crashed && node.work()) {}
                while (!node.crashed && node.endOne()) {}
                ifWorks(node, node::settle);
            }
            replayDead();
            noteHostileDead();
            passTime(Duration.ofMillis(500));
        }
        Set<String> stuck = new TreeSet<>();
        for (InMemoryRow row : table.rows()) {
            if (isUnfinished(row)) {
                Hostility hostility = hostilities.get(row.event().eventId());
                stuck.add(row.event().eventId() + (hostility == null ? " " : " " + hostility + " ") + row.status()
                        + " after " + row.event().attempts() + " attempts"
                        + (row.lockedBy() == null ? "" : ", leased"));
            }
            if (row.event().attempts() > SimulatedNode.MAX_ATTEMPTS) {
                violation("too many attempts: " + row);
            }
        }
        if (!stuck.isEmpty()) {
            violation("never done: " + stuck);
        }
    }

    private boolean hasPending() {
        return table.rows().stream().anyMatch(this::isUnfinished);
    }

    /** Good events must be done; hostile ones must have ended. */
    private boolean isUnfinished(InMemoryRow row) {
        boolean done = row.status() == EventStatus.DONE;
        boolean dead = row.status() == EventStatus.DEAD;
        return !done && !(dead && hostilities.containsKey(row.event().eventId()));
    }
}
