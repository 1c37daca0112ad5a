package outbox.inbox.kafka;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import outbox.inbox.Inbox;
import outbox.inbox.InboxMessage;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;

/**
 * Brings records of Kafka into an {@link Inbox}, on one thread. Offsets are committed after the records are, so a crash
 * or a rebalance makes records come again, and the inbox knows them. Thread-safe.
 *
 * <pre>{@code
 * KafkaInbox kafka = KafkaInbox.builder(inbox, "localhost:9092")
 *     .groupId("billing")
 *     .topics("orders")
 *     .build()
 *     .start();
 * }</pre>
 *
 * <h2>Back-pressure</h2>
 *
 * <p>While the database fails, or more messages wait than {@code maxPending}, all partitions are paused. The consumer goes on
 * to poll, so it stays in its group, and what was fetched is kept until it can be stored or its partition is taken away.
 */
public final class KafkaInbox implements AutoCloseable {
    private static final Logger LOG = System.getLogger(KafkaInbox.class.getName());
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PENDING_CHECK_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

    private final Inbox inbox;
    private final Supplier<Consumer<byte @Nullable [], byte @Nullable []>> consumers;
    private final Set<String> topics;
    private final Function<ConsumerRecord<byte @Nullable [], byte @Nullable []>, InboxMessage> mapping;
    private final int maxPending;
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "the inbox of Kafka topics");
    private final Loop loop;

    // of the loop's thread alone
    private final List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> fetched = new ArrayList<>();
    private final Map<TopicPartition, OffsetAndMetadata> toCommit = new HashMap<>();
    private @Nullable Consumer<byte @Nullable [], byte @Nullable []> consumer;
    private long waitUntil = System.nanoTime();
    private long pendingCheckedAt = System.nanoTime() - PENDING_CHECK_NANOS;
    private boolean full;

    private volatile boolean paused;

    KafkaInbox(
            Inbox inbox,
            Supplier<Consumer<byte @Nullable [], byte @Nullable []>> consumers,
            Set<String> topics,
            Function<ConsumerRecord<byte @Nullable [], byte @Nullable []>, InboxMessage> mapping,
            int maxPending) {
        this.inbox = inbox;
        this.consumers = consumers;
        this.topics = topics;
        this.mapping = mapping;
        this.maxPending = maxPending;
        this.loop =
                new Loop("inbox of Kafka topics " + topics, new DaemonThreadFactory("outbox-inbox-kafka-"), this::turn);
    }

    /** @param bootstrapServers such as {@code localhost:9092} */
    public static KafkaInboxBuilder builder(Inbox inbox, String bootstrapServers) {
        return new KafkaInboxBuilder(inbox, bootstrapServers);
    }

    /** @return this */
    public KafkaInbox start() {
        loop.start();
        return this;
    }

    /** Whether its partitions are paused, because the database fails or too many messages wait. */
    public boolean isPaused() {
        return paused;
    }

    /** Whether it runs: it was started and not closed. */
    public boolean isRunning() {
        return loop.isAlive();
    }

    private boolean turn() {
        Consumer<byte @Nullable [], byte @Nullable []> kafka = consumer();
        try {
            if (!fetched.isEmpty()) { // even if an error ended the turn before it was paused
                pauseOrResume(kafka);
            }
            kafka.poll(POLL).forEach(fetched::add);
            if (!fetched.isEmpty() && System.nanoTime() - waitUntil >= 0) {
                store();
            }
            commit(Map.copyOf(toCommit));
            pauseOrResume(kafka);
            return true;
        } catch (WakeupException e) {
            return true;
        } catch (KafkaException e) {
            failures.failed("consuming " + topics + " failed; a new consumer begins at the committed offsets", e);
            end();
            waitUntil = System.nanoTime() + RETRY_NANOS;
            return true;
        }
    }

    private Consumer<byte @Nullable [], byte @Nullable []> consumer() {
        Consumer<byte @Nullable [], byte @Nullable []> current = consumer;
        if (current == null) {
            current = consumers.get();
            consumer = current;
            current.subscribe(topics, new Rebalance());
        }
        return current;
    }

    /** In one transaction; all are kept and tried again if it fails. */
    private void store() {
        try {
            inbox.receiveAll(fetched.stream().map(this::messageOf).toList());
        } catch (Throwable e) { // an Error of one message or one moment is no reason to fetch more
            waitUntil = System.nanoTime() + RETRY_NANOS;
            failures.failed(
                    fetched.size() + " records of " + topics
                            + " could not be stored; they are tried again, their partitions are paused",
                    e);
            return;
        }
        failures.succeeded();
        for (ConsumerRecord<byte @Nullable [], byte @Nullable []> each : fetched) {
            toCommit.put(new TopicPartition(each.topic(), each.partition()), new OffsetAndMetadata(each.offset() + 1));
        }
        fetched.clear();
    }

    private InboxMessage messageOf(ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        try {
            return mapping.apply(record);
        } catch (RuntimeException | StackOverflowError e) {
            return KafkaMessages.unmapped(record, record.value(), e);
        }
    }

    /** What cannot be committed now is committed later, or comes again and is a duplicate. */
    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Consumer<byte @Nullable [], byte @Nullable []> current = consumer;
        if (offsets.isEmpty() || current == null) {
            return;
        }
        try {
            current.commitSync(offsets);
            toCommit.keySet().removeAll(offsets.keySet());
        } catch (WakeupException e) {
            throw e;
        } catch (KafkaException e) {
            LOG.log(
                    Level.INFO,
                    () -> "offsets of " + offsets.keySet() + " were not committed; the records are stored,"
                            + " and duplicates if they come again: " + e);
        }
    }

    private void pauseOrResume(Consumer<byte @Nullable [], byte @Nullable []> kafka) {
        boolean stop = !fetched.isEmpty() || isFull();
        Set<TopicPartition> assigned = kafka.assignment();
        if (stop) {
            kafka.pause(assigned);
        } else if (paused) {
            kafka.resume(assigned);
        }
        paused = stop;
    }

    private boolean isFull() {
        long now = System.nanoTime();
        if (now - pendingCheckedAt >= PENDING_CHECK_NANOS) {
            pendingCheckedAt = now;
            try {
                full = inbox.pending(maxPending) >= maxPending;
            } catch (RuntimeException e) {
                failures.failed("the messages that wait could not be counted; partitions are paused", e);
                full = true;
            }
        }
        return full;
    }

    /** Runs on the loop's thread, within poll. */
    private final class Rebalance implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            Map<TopicPartition, OffsetAndMetadata> own = new HashMap<>(toCommit);
            own.keySet().retainAll(partitions);
            commit(own);
            onPartitionsLost(partitions);
        }

        /** Their next owner fetches what is not stored yet. */
        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            toCommit.keySet().removeAll(partitions);
            fetched.removeIf(each -> partitions.contains(new TopicPartition(each.topic(), each.partition())));
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            Consumer<byte @Nullable [], byte @Nullable []> current = consumer;
            if (paused && current != null) {
                current.pause(partitions);
            }
        }
    }

    private void end() {
        Consumer<byte @Nullable [], byte @Nullable []> current = consumer;
        consumer = null;
        fetched.clear();
        toCommit.clear();
        if (current != null) {
            try {
                current.close();
            } catch (KafkaException e) {
                LOG.log(Level.DEBUG, "closing a consumer failed; the broker notices by its session timeout", e);
            }
        }
    }

    /** Ends after what it is doing, and leaves the group. */
    @Override
    public void close() {
        loop.endAfterStep();
        try {
            if (loop.awaitEnd(CLOSE_TIMEOUT.toNanos())) {
                end();
            } else {
                LOG.log(
                        Level.WARNING,
                        "the consumer of " + topics + " did not end within " + CLOSE_TIMEOUT
                                + "; its thread ends by itself, and its partitions go to others by the session timeout");
                loop.interrupt();
            }
        } catch (InterruptedException e) {
            loop.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
