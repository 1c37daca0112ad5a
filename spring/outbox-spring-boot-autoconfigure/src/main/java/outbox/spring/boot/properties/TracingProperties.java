package outbox.spring.boot.properties;

/** Traces. */
public class TracingProperties {
    /** Whether to store the trace context of the writer with the event and continue the trace in its handlers. */
    private boolean enabled = true;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }
}
