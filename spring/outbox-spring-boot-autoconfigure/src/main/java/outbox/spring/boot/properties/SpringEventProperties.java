package outbox.spring.boot.properties;

/** Events that are published with Spring's own publisher. */
public class SpringEventProperties {
    /**
     * Whether events published with ApplicationEventPublisher are written to the outbox: domain events and objects of
     * classes with @EventName or @Externalized.
     */
    private boolean enabled = true;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }
}
