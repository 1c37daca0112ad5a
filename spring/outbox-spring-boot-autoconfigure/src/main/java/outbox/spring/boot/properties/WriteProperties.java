package outbox.spring.boot.properties;

import org.springframework.util.unit.DataSize;
import outbox.EventEnvelope;

/** Limits of the writer. */
public class WriteProperties {
    /** Maximum size of a payload, up to 1MB. Writing a larger one fails. */
    private DataSize maxPayload = DataSize.ofBytes(EventEnvelope.MAX_PAYLOAD_BYTES);

    public DataSize getMaxPayload() {
        return maxPayload;
    }

    public void setMaxPayload(DataSize maxPayload) {
        this.maxPayload = maxPayload;
    }
}
