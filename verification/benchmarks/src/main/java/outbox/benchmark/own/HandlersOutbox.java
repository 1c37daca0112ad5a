package outbox.benchmark.own;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Contender;
import outbox.benchmark.Payloads;
import outbox.benchmark.raw.OutboxTable;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.domain.handler.HandlerOptions;
import outbox.domain.jackson.PayloadSerializers;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcTransactionRunner;

/** Typed handlers instead of a plain listener. Every handler reads the payload, and only counts. */
public enum HandlersOutbox implements Contender {
    ONE("one handler", 1, false, false),
    TRACKED("one handler, with the progress table", 1, true, false),
    TWO("two handlers", 2, true, false),
    TRANSACTIONAL("a transactional handler", 1, true, true);

    private static final String TABLE = JdbcEventConsumptionTracker.DEFAULT_TABLE;

    private final String form;
    private final int handlers;
    private final boolean tracked;
    private final boolean transactional;

    HandlersOutbox(String form, int handlers, boolean tracked, boolean transactional) {
        this.form = form;
        this.handlers = handlers;
        this.tracked = tracked;
        this.transactional = transactional;
    }

    public static List<HandlersOutbox> all() {
        return List.of(values());
    }

    /** What a payload is read as. */
    @EventName(OwnEngine.EVENT_TYPE)
    public record Happened(long order, String text) {}

    @Override
    public String id() {
        return switch (this) {
            case ONE -> "handler";
            case TRACKED -> "trackedhandler";
            case TWO -> "twohandlers";
            case TRANSACTIONAL -> "txhandler";
        };
    }

    @Override
    public String title() {
        return "this project, " + form;
    }

    @Override
    public String remarks() {
        return "As outbox, with " + form + " instead of a plain listener; all defaults.";
    }

    @Override
    public void createTables(BenchDatabase database) throws SQLException {
        OutboxTable.create(database);
        try (Connection connection = database.connect()) {
            IdempotencySchema.of(database.kind().id()).apply(connection);
        }
    }

    @Override
    public void clear(BenchDatabase database) throws SQLException {
        database.clear(TABLE);
        OutboxTable.clear(database);
    }

    @Override
    public void seed(BenchDatabase database, int events) throws SQLException {
        OutboxTable.seed(database, events, 0, Payloads.BYTES);
    }

    @Override
    public Engine start(BenchDatabase database, Runnable listener) throws SQLException {
        LongAdder others = new LongAdder();
        OwnEngine engine = new OwnEngine(
                database,
                (connections, txContext, transactions) -> {
                    EventHandlersBuilder builder = EventHandlers.builder().serializer(PayloadSerializers.detect());
                    if (tracked) {
                        builder.tracker(
                                new JdbcEventConsumptionTracker(database.kind().id(), connections, txContext));
                    }
                    HandlerOptions options = HandlerOptions.DEFAULT;
                    if (transactional) {
                        options = options.transactional();
                        builder.transactions(new JdbcTransactionRunner(transactions, txContext));
                    }
                    builder.handler("first", Happened.class, options, (event, envelope) -> listener.run());
                    for (int i = 1; i < handlers; i++) {
                        builder.handler("other-" + i, Happened.class, options, (event, envelope) -> others.increment());
                    }
                    return builder.build();
                },
                0,
                settings -> settings);
        return new Counted(engine, others);
    }

    /** All handlers are called equally often. */
    private final class Counted implements Engine {
        private final OwnEngine engine;
        private final LongAdder others;
        private long settled;

        Counted(OwnEngine engine, LongAdder others) {
            this.engine = engine;
            this.others = others;
        }

        @Override
        public void write(int number) throws SQLException {
            engine.write(number);
        }

        @Override
        public long unsettled() throws SQLException {
            long open = engine.unsettled();
            if (open == 0) {
                settled = engine.counts().settled();
            }
            return open;
        }

        @Override
        public void close() {
            engine.close();
            if (others.sum() != settled * (handlers - 1)) {
                throw new IllegalStateException(
                        "the further handlers were called " + others.sum() + " times for " + settled + " events");
            }
        }
    }
}
