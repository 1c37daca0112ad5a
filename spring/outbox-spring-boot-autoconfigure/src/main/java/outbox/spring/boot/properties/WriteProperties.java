package outbox.spring.boot.properties;

import org.springframework.util.unit.DataSize;
import outbox.EventEnvelope;

/** Limits of the writer. */
public class WriteProperties {
    /** Larger payloads are refused; at most 1MB. */
    private DataSize maxPayload = DataSize.ofBytes(EventEnvelope.MAX_PAYLOAD_BYTES);

    public DataSize getMaxPayload() {
        return maxPayload;
    }

    public void setMaxPayload(DataSize maxPayload) {
        this.maxPayload = maxPayload;
    }
}
