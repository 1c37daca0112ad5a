package outbox.spring.boot.properties;

/** Traces. */
public class TracingProperties {
    /** Whether to store the trace context of the writer with the event and continue the trace in its handlers. */
    private boolean enabled = true;

    /** Names of the observations, and so of their spans and timers. */
    private Convention convention = Convention.OUTBOX;

    /** Names of observations. */
    public enum Convention {
        /** outbox.publish and outbox.handle. */
        OUTBOX,
        /** Names and attributes of OpenTelemetry's semantic conventions for messaging. */
        OPENTELEMETRY
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Convention getConvention() {
        return convention;
    }

    public void setConvention(Convention convention) {
        this.convention = convention;
    }
}
