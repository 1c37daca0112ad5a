package outbox.cdc;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Debezium's notifications about its snapshot, sent as records between the changes. The snapshot determines the first
 * offset, even if it reads no rows; before its end it is not certain that the relay will see a commit.
 */
final class SnapshotNotice {
    private static final String TOPIC = "outbox-cdc-notices";
    private static final String SNAPSHOT = "Initial Snapshot";
    private static final Set<String> ENDS = Set.of("COMPLETED", "SKIPPED");

    private SnapshotNotice() {}

    /** Settings that make Debezium send them. */
    static Map<String, String> settings() {
        return Map.of("notification.enabled.channels", "sink", "notification.sink.topic.name", TOPIC);
    }

    static boolean isNotice(SourceRecord record) {
        return TOPIC.equals(record.topic());
    }

    /** Whether everything committed after this record was created will follow it. */
    static boolean endsSnapshot(SourceRecord record) {
        return isNotice(record)
                && record.value() instanceof Struct notice
                && SNAPSHOT.equals(notice.getString("aggregate_type"))
                && ENDS.contains(notice.getString("type"));
    }

    /** Notifications of the start have no offset yet, and the one of a skipped snapshot has the previous offset. */
    static boolean hasOffset(SourceRecord record) {
        return !isNotice(record) || "COMPLETED".equals(((Struct) record.value()).getString("type"));
    }
}
