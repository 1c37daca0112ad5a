package outbox.spring.boot.properties;

/** Traces. */
public class TracingProperties {
    /** Whether the writer's trace is stored with the event and continued around its handler. */
    private boolean enabled = true;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }
}
