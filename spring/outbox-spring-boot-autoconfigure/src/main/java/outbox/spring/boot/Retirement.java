package outbox.spring.boot;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import outbox.OutboxBuilder;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spring.boot.properties.ArchiveProperties;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PartitionProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.PurgeProperties;
import outbox.spring.boot.properties.RefusedSettingsException;

/** How old rows are removed: row by row or by partition, with or without an archive. */
final class Retirement {
    private final OutboxProperties properties;

    Retirement(OutboxProperties properties) {
        this.properties = properties;
        PartitionProperties partitions = properties.getPartitions();
        ArchiveProperties archive = properties.getArchive();
        boolean archived = archive.getDirectory() != null || archive.getTable() != null;
        if (partitions.isEnabled() && !properties.getPurge().isEnabled()) {
            throw new RefusedSettingsException(
                    "outbox.partitions.enabled is true and outbox.purge.enabled is false: the"
                            + " application that creates partitions also drops them",
                    "Set both in one application, and neither in others.");
        }
        if (archive.getDirectory() != null && archive.getTable() != null) {
            throw new RefusedSettingsException(
                    "outbox.archive.directory and outbox.archive.table are both set: rows are archived to one of them",
                    "Remove the other.");
        }
        if (archived && !properties.getPurge().isEnabled()) {
            throw new RefusedSettingsException(
                    "outbox.archive.* is set and outbox.purge.enabled is false: rows are archived"
                            + " when they are purged, so nothing would be archived",
                    "Change one of them.");
        }
        if (archived && properties.getPurge().isByAgeAlone() && !partitions.isEnabled()) {
            throw new RefusedSettingsException(
                    "outbox.archive.* and outbox.purge.by-age-alone can only be combined with"
                            + " outbox.partitions.enabled=true: rows are not archived one by one there",
                    "Set it, or remove one of the others.");
        }
    }

    boolean isByDays() {
        return properties.getPartitions().isEnabled();
    }

    @Nullable
    String archiveTable() {
        return properties.getArchive().getTable();
    }

    void configure(
            OutboxBuilder builder, AbstractJdbcOutboxStore store, UnitSettings settings, LargePayloads payloads) {
        PurgeProperties purge = properties.getPurge();
        if (!purge.isEnabled()) {
            return;
        }
        new PropertyGroup("outbox.purge")
                .give("retention", purge.getRetention(), builder::retention)
                .give("dead-retention", purge.getDeadRetention(), builder::deadRetention)
                .give("interval", purge.getInterval(), builder::purgeInterval);
        EventArchive archive = archive(settings, payloads);
        if (isByDays()) {
            DailyPartitions days = new PropertyGroup("outbox.partitions")
                    .make("days-ahead", properties.getPartitions().getDaysAhead(), store.dailyPartitions()::daysAhead)
                    .archive(archive);
            builder.partitions(purge.isByAgeAlone() ? days.byAgeAlone() : days);
        } else if (purge.isByAgeAlone()) {
            builder.purger(store.agePurger());
        } else {
            builder.purger(archive == EventArchive.NONE ? store.purger() : store.archivingPurger(archive));
        }
    }

    /** Tables of several outboxes may have the same name, so files need the instance name. */
    private EventArchive archive(UnitSettings settings, LargePayloads payloads) {
        Path base = properties.getArchive().getDirectory();
        if (base != null) {
            Path directory = settings.sole() ? base : base.resolve(settings.name());
            return payloads.archived(EventArchive.inFiles(directory), directory);
        }
        String table = archiveTable();
        return table == null
                ? EventArchive.NONE
                : new PropertyGroup("outbox.archive").make("table", table, EventArchive::inTable);
    }
}
