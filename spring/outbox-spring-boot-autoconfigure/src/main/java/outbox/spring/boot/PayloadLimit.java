package outbox.spring.boot;

import java.util.List;
import org.springframework.util.unit.DataSize;
import outbox.EventEnvelope;
import outbox.WriterHook;

/** Rejects payloads larger than {@code outbox.write.max-payload}; a source is for what is larger. */
final class PayloadLimit implements WriterHook {
    private final DataSize limit;

    PayloadLimit(DataSize limit) {
        if (limit.toBytes() <= 0 || limit.toBytes() > EventEnvelope.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    "the limit must be between 1 and " + EventEnvelope.MAX_PAYLOAD_BYTES + " bytes");
        }
        this.limit = limit;
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            long size = event.payloadSource() == null ? event.payloadSize() : 0;
            if (size > limit.toBytes()) {
                throw new IllegalArgumentException(event + " has a payload of " + size + " bytes, more than"
                        + " outbox.write.max-payload allows (" + limit + "); store the data elsewhere and write a"
                        + " reference to it");
            }
        }
        return events;
    }
}
