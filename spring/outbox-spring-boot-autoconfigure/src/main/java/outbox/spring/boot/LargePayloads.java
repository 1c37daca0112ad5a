package outbox.spring.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.payload.ClaimCheck;
import outbox.jdbc.payload.FileObjectStore;
import outbox.jdbc.payload.ObjectStore;
import outbox.jdbc.payload.PayloadSweep;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventSeal;
import outbox.spi.TxContext;
import outbox.spring.boot.properties.ClaimCheckProperties;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/** The form of events in the table: sealed by the application's bean, and with large payloads beside it. */
final class LargePayloads {
    private static final PropertyGroup GROUP = new PropertyGroup("outbox.claim-check");

    private final OutboxProperties properties;
    private final EventSeal seal;
    private final @Nullable ClaimCheck claimCheck;

    private LargePayloads(OutboxProperties properties, EventSeal seal, @Nullable ClaimCheck claimCheck) {
        this.properties = properties;
        this.seal = seal;
        this.claimCheck = claimCheck;
    }

    static LargePayloads of(
            UnitConfiguration unit,
            AbstractJdbcOutboxStore store,
            ConnectionProvider connections,
            TxContext txContext) {
        OutboxProperties properties = unit.properties();
        EventSeal own = OwnBean.of(unit.beans(), EventSeal.class);
        EventSeal inner = own == null ? EventSeal.NONE : own;
        ClaimCheckProperties claimCheck = properties.getClaimCheck();
        ObjectStore objects = unit.unshared(ObjectStore.class, "each would delete the payloads of the others from it");
        if (!claimCheck.isEnabled()) {
            if (objects != null || claimCheck.getDirectory() != null) {
                throw new RefusedSettingsException(
                        (objects != null ? "there is an ObjectStore bean" : "outbox.claim-check.directory is set")
                                + ", but outbox.claim-check.enabled is false, so payloads stay in their rows",
                        "Set outbox.claim-check.enabled=true, or remove the other.");
            }
            return new LargePayloads(properties, inner, null);
        }
        if (inner instanceof ClaimCheck) {
            throw new RefusedSettingsException(
                    "outbox.claim-check.enabled is true and there is a ClaimCheck bean", "Remove one of them.");
        }
        if (objects != null && claimCheck.getDirectory() != null) {
            throw new RefusedSettingsException(
                    "there is an ObjectStore bean, and outbox.claim-check.directory is set: payloads are stored in one of them",
                    "Remove the other.");
        }
        ClaimCheck.Builder builder =
                ClaimCheck.builder(store, connections).transactions(txContext).over(inner);
        GROUP.give(
                "threshold",
                claimCheck.getThreshold(),
                size -> builder.threshold((int) Math.min(Integer.MAX_VALUE, size.toBytes())));
        Path directory = claimCheck.getDirectory();
        if (directory != null) {
            objects = new FileObjectStore(
                    unit.settings().sole()
                            ? directory
                            : directory.resolve(unit.settings().name()));
        }
        if (objects != null) {
            builder.objects(objects);
        }
        String archiveTable = properties.getArchive().getTable();
        if (archiveTable != null) {
            builder.archiveTable(archiveTable);
        }
        ClaimCheck built = GROUP.build(builder::build);
        return new LargePayloads(properties, built, built);
    }

    /** For a table whose payloads stay in their rows. */
    static LargePayloads none(UnitConfiguration unit) {
        EventSeal own = OwnBean.of(unit.beans(), EventSeal.class);
        return new LargePayloads(unit.properties(), own == null ? EventSeal.NONE : own, null);
    }

    /** What converts events to their form in the table. */
    EventSeal seal() {
        return seal;
    }

    /** Archives the bodies beside the rows, if rows are archived to files. */
    EventArchive archived(EventArchive rows, @Nullable Path directory) {
        return claimCheck == null || directory == null ? rows : claimCheck.archive(rows, directory);
    }

    void schedule(RelaySchedule schedule) {
        if (claimCheck == null) {
            return;
        }
        ClaimCheckProperties settings = properties.getClaimCheck();
        PayloadSweep sweep = PayloadSweep.of(claimCheck);
        GROUP.give("orphan-age", settings.getOrphanAge(), sweep::orphanAge);
        schedule.add("delete payloads without event", GROUP, null, settings.getSweepInterval(), () -> run(sweep));
    }

    private static void run(PayloadSweep sweep) {
        try {
            sweep.sweepOnce();
        } catch (SQLException | IOException e) {
            throw new IllegalStateException(String.valueOf(e.getMessage()), e);
        }
    }
}
