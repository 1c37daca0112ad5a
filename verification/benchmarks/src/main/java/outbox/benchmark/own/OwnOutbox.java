package outbox.benchmark.own;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import outbox.OutboxBuilder;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Contender;
import outbox.benchmark.Payloads;
import outbox.benchmark.Versions;
import outbox.benchmark.raw.OutboxTable;
import outbox.dispatch.CompletionMode;
import outbox.encryption.EventEncryption;
import outbox.encryption.Keyring;
import outbox.spi.EventSeal;

/** This project as a contender. */
public class OwnOutbox implements Contender {
    private final String id;
    private final String form;
    private final String remarks;
    private final int keys;
    private final UnaryOperator<OutboxBuilder> settings;

    OwnOutbox(String id, String form, String remarks, int keys, UnaryOperator<OutboxBuilder> settings) {
        this.id = id;
        this.form = form;
        this.remarks = remarks;
        this.keys = keys;
        this.settings = settings;
    }

    /** As it comes. */
    public static OwnOutbox byDefault() {
        return new OwnOutbox(
                "outbox",
                "",
                "Version " + Versions.of("outbox") + ". All defaults, multi-node form, shipped schema.",
                0,
                builder -> builder);
    }

    /** Deletes what is delivered instead of marking it. */
    public static OwnOutbox deleting() {
        return new OwnOutbox(
                "outboxdelete",
                ", completion by DELETE",
                "As outbox, with completion mode DELETE.",
                0,
                builder -> builder.completionMode(CompletionMode.DELETE));
    }

    /** Encrypts every payload. */
    public static OwnOutbox encrypted() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        EventSeal encryption = EventEncryption.builder(
                        "benchmark", Keyring.builder().key("key-1", secret).build())
                .build();
        return new OwnOutbox(
                "encrypted",
                ", payloads encrypted",
                "As outbox, with every payload encrypted by AES-256-GCM.",
                0,
                builder -> builder.seal(encryption));
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String title() {
        return "this project" + form;
    }

    @Override
    public String remarks() {
        return remarks;
    }

    @Override
    public void createTables(BenchDatabase database) throws SQLException {
        OutboxTable.create(database);
    }

    @Override
    public void clear(BenchDatabase database) throws SQLException {
        OutboxTable.clear(database);
    }

    @Override
    public void seed(BenchDatabase database, int events) throws SQLException {
        OutboxTable.seed(database, events, keys, Payloads.BYTES);
    }

    @Override
    public OwnEngine start(BenchDatabase database, Runnable listener) throws SQLException {
        return new OwnEngine(database, event -> listener.run(), keys, settings);
    }
}
