package outbox.cdc;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * What Debezium says about its snapshot, as records between the changes. The snapshot is what gives a relay its place in the
 * log, also if it reads no rows; so nothing before the notice of its end says that the relay will see a commit.
 */
final class SnapshotNotice {
    private static final String TOPIC = "outbox-cdc-notices";
    private static final String SNAPSHOT = "Initial Snapshot";
    private static final Set<String> ENDS = Set.of("COMPLETED", "SKIPPED");

    private SnapshotNotice() {}

    /** What makes Debezium send them. */
    static Map<String, String> settings() {
        return Map.of("notification.enabled.channels", "sink", "notification.sink.topic.name", TOPIC);
    }

    static boolean isNotice(SourceRecord record) {
        return TOPIC.equals(record.topic());
    }

    /** Whether everything committed after this record was made comes behind it. */
    static boolean hasPlaceInTheLog(SourceRecord record) {
        return isNotice(record)
                && record.value() instanceof Struct notice
                && SNAPSHOT.equals(notice.getString("aggregate_type"))
                && ENDS.contains(notice.getString("type"));
    }

    /** Notices of the beginning have no place yet, and one of a skipped snapshot has that which was written down before. */
    static boolean carriesAPlace(SourceRecord record) {
        return !isNotice(record) || "COMPLETED".equals(((Struct) record.value()).getString("type"));
    }
}
