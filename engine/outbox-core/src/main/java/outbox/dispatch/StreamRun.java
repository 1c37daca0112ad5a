package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.Settlement;
import outbox.util.StoredError;
import outbox.util.Ticks;

/**
 * One call of {@link StreamDispatcher#deliver}: brings the first event of every aggregate to the workers, and with each
 * that ends the one behind it. All of it happens on the calling thread, so nothing here is shared.
 */
final class StreamRun {
    private static final Logger LOG = System.getLogger(StreamRun.class.getName());
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StreamDispatcher dispatcher;
    private final List<EventEnvelope> events;
    private final BitSet finished;
    private final Map<Delivery, Lane> running = new HashMap<>();
    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>(Comparator.comparingLong(Waiting::due));
    private long closingSince = -1;

    /** Events of one aggregate, by their place in the list; the first is the one being delivered. */
    private static final class Lane {
        private final Queue<Integer> places = new ArrayDeque<>(2);
        private int attempts;
        /** Why the first of this lane is to go to the dead letters; {@code null} if it is not. */
        private @Nullable String deadBecause;
    }

    private record Waiting(long due, Lane lane) {}

    StreamRun(StreamDispatcher dispatcher, List<EventEnvelope> events) {
        this.dispatcher = dispatcher;
        this.events = events;
        this.finished = new BitSet(events.size());
    }

    int run() throws InterruptedException {
        try {
            lanes().forEach(this::goOn);
            while (finished.cardinality() < events.size() && !isOver()) {
                callWhatIsDue();
                Optional<Outcome> outcome = dispatcher.outcomes().poll(timeToNextLook(), TimeUnit.NANOSECONDS);
                if (outcome != null) {
                    outcome.ifPresent(this::ended);
                }
            }
            return finished.nextClearBit(0);
        } finally {
            dispatcher.leaveBehind(running.keySet()); // none, unless this was interrupted, closed or failed
        }
    }

    private List<Lane> lanes() {
        List<Lane> lanes = new ArrayList<>();
        Map<OrderingKeys.Key, Lane> byKey = new HashMap<>();
        for (int place = 0; place < events.size(); place++) {
            OrderingKeys.Key key = OrderingKeys.Key.of(events.get(place));
            Lane lane = key == null ? null : byKey.get(key);
            if (lane == null) {
                lane = new Lane();
                lanes.add(lane);
                if (key != null) {
                    byKey.put(key, lane);
                }
            }
            lane.places.add(place);
        }
        return lanes;
    }

    /** While closing nothing new starts; what runs may end, for as long as the drain timeout lasts. */
    private boolean isOver() {
        if (!dispatcher.isClosing()) {
            return false;
        }
        if (closingSince < 0) {
            closingSince = System.nanoTime();
        }
        return running.isEmpty() || System.nanoTime() - closingSince >= dispatcher.drainTimeoutNanos();
    }

    private long timeToNextLook() {
        Waiting next = waiting.peek();
        return next == null ? LOOK_NANOS : Math.max(0, Math.min(LOOK_NANOS, next.due() - System.nanoTime()));
    }

    private void callWhatIsDue() {
        long now = System.nanoTime();
        while (!waiting.isEmpty() && waiting.peek().due() - now <= 0) {
            goOn(waiting.remove().lane());
        }
    }

    /** Brings the first event of the lane to the workers, or to the dead letters if that is where it has to go. */
    private void goOn(Lane lane) {
        Integer place = lane.places.peek();
        if (place == null || dispatcher.isClosing()) {
            return;
        }
        if (lane.deadBecause != null) {
            bury(lane, lane.deadBecause);
            return;
        }
        Delivery delivery = new Delivery(
                new QueuedEvent(events.get(place), QueuedEvent.Source.COLD, lane.attempts), System.nanoTime());
        running.put(delivery, lane);
        dispatcher.call(delivery);
    }

    private Lane laneOf(Delivery delivery) {
        Lane lane = running.remove(delivery);
        if (lane == null) {
            throw new IllegalStateException("event " + delivery.eventId() + " was not being delivered");
        }
        return lane;
    }

    private void later(Lane lane, Duration delay) {
        waiting.add(new Waiting(System.nanoTime() + Ticks.in(delay), lane));
    }

    private void ended(Outcome outcome) {
        Delivery delivery = outcome.delivery();
        Lane lane = laneOf(delivery);
        outcome.settlement()
                .accept(
                        done -> delivered(lane),
                        delete -> delivered(lane),
                        retry -> failed(lane, delivery, retry),
                        dead -> died(lane, delivery, dead),
                        release -> later(lane, release.delay()));
    }

    private void delivered(Lane lane) {
        dispatcher.metrics().incrementDispatchSuccess();
        next(lane);
    }

    private void failed(Lane lane, Delivery delivery, Settlement.Retry retry) {
        lane.attempts = retry.attempts();
        dispatcher.metrics().incrementDispatchFailure();
        log(
                Level.WARNING,
                delivery,
                retry.error(),
                "tried again in " + retry.delay().toMillis() + " ms");
        later(lane, retry.delay());
    }

    private void died(Lane lane, Delivery delivery, Settlement.Dead dead) {
        lane.attempts = dead.attempts();
        if (dispatcher.deadLetters() != null) {
            lane.deadBecause = dead.error();
            goOn(lane);
            return;
        }
        Duration delay = dispatcher.delayAfter(lane.attempts);
        dispatcher.metrics().incrementDispatchFailure();
        log(
                Level.ERROR,
                delivery,
                dead.error(),
                "there are no dead letters, so the stream waits for it; tried again in " + delay.toMillis() + " ms");
        later(lane, delay);
    }

    private void next(Lane lane) {
        finished.set(lane.places.remove());
        lane.attempts = 0;
        lane.deadBecause = null;
        goOn(lane);
    }

    private void bury(Lane lane, String error) {
        StreamDispatcher.DeadLetters deadLetters = dispatcher.deadLetters();
        EventEnvelope event = events.get(lane.places.element());
        if (deadLetters == null) {
            throw new IllegalStateException("there are no dead letters for event " + event.eventId());
        }
        try {
            deadLetters.add(event, lane.attempts, error);
        } catch (Exception e) {
            Duration delay = dispatcher.delayAfter(lane.attempts);
            dispatcher
                    .deadLetterFailures()
                    .failed(
                            "the dead letters did not take event " + event.eventId()
                                    + "; its aggregate waits, tried again in " + delay.toMillis() + " ms",
                            e);
            later(lane, delay);
            return;
        }
        dispatcher.deadLetterFailures().succeeded();
        dispatcher.metrics().incrementDispatchDead();
        LOG.log(
                Level.ERROR,
                "event " + event + " went to the dead letters after attempt " + lane.attempts + ": "
                        + StoredError.firstLine(error));
        next(lane);
    }

    private static void log(Level level, Delivery delivery, String error, String then) {
        LOG.log(
                level,
                "event " + delivery.eventId() + " failed at attempt " + (delivery.attempts() + 1) + ": "
                        + StoredError.firstLine(error) + "; " + then);
    }
}
