package outbox.inbox.rabbitmq;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import outbox.inbox.Inbox;
import outbox.inbox.InboxMessage;

/** Collects the settings of a {@link RabbitInbox}. Not thread-safe. */
public final class RabbitInboxBuilder {
    /** How many messages the broker sends ahead of their acknowledgement, and at most one statement stores. */
    public static final int DEFAULT_PREFETCH = 500;

    /** How many messages may wait before no more are taken. */
    public static final int DEFAULT_MAX_PENDING = 100_000;

    private static final int MAX_PREFETCH = 65_535;

    private final Inbox inbox;
    private final ConnectionFactory factory;
    private final Set<String> queues = new LinkedHashSet<>();
    private BiFunction<String, Delivery, InboxMessage> mapping = RabbitMessages::of;
    private @Nullable AddressResolver addresses;
    private int prefetch = DEFAULT_PREFETCH;
    private int maxPending = DEFAULT_MAX_PENDING;

    RabbitInboxBuilder(Inbox inbox, ConnectionFactory factory) {
        this.inbox = Objects.requireNonNull(inbox, "inbox");
        this.factory = Objects.requireNonNull(factory, "factory").clone();
        // Deliveries of a recovered connection have other tags: they are read anew instead.
        this.factory.setAutomaticRecoveryEnabled(false);
        this.factory.setTopologyRecoveryEnabled(false);
    }

    /** Required; the queues must exist. */
    public RabbitInboxBuilder queues(String... names) {
        queues.addAll(List.of(names));
        return this;
    }

    /** Nodes of a cluster; by default the one host of the factory. */
    public RabbitInboxBuilder addresses(@Nullable AddressResolver addresses) {
        this.addresses = addresses;
        return this;
    }

    /** Default {@value #DEFAULT_PREFETCH}; for all queues together. */
    public RabbitInboxBuilder prefetch(int prefetch) {
        if (prefetch < 1 || prefetch > MAX_PREFETCH) {
            throw new IllegalArgumentException("prefetch must be between 1 and " + MAX_PREFETCH + ": " + prefetch);
        }
        this.prefetch = prefetch;
        return this;
    }

    /**
     * Makes messages of deliveries, with the name of their queue; default {@link RabbitMessages#of}. A delivery for which it
     * throws has the type {@value RabbitMessages#UNMAPPED}, and is a dead letter unless there is a handler for that.
     */
    public RabbitInboxBuilder mapping(BiFunction<String, Delivery, InboxMessage> mapping) {
        this.mapping = Objects.requireNonNull(mapping, "mapping");
        return this;
    }

    /** Takes no more while this many messages wait to be handled; default {@value #DEFAULT_MAX_PENDING}. */
    public RabbitInboxBuilder maxPending(int maxPending) {
        if (maxPending <= 0) {
            throw new IllegalArgumentException("maxPending must be positive: " + maxPending);
        }
        this.maxPending = maxPending;
        return this;
    }

    /** @throws IllegalArgumentException if a setting is missing */
    public RabbitInbox build() {
        if (queues.isEmpty()) {
            throw new IllegalArgumentException("an inbox of RabbitMQ needs queues(...), which is not set");
        }
        if (!inbox.deadLettersInvalid()) {
            throw new IllegalArgumentException(
                    "build the inbox with deadLetterInvalid(): otherwise a message that cannot"
                            + " be stored would come again for ever");
        }
        return new RabbitInbox(inbox, factory, addresses, Set.copyOf(queues), mapping, prefetch, maxPending);
    }
}
