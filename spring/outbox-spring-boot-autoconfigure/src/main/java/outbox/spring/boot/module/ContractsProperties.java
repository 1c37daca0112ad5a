package outbox.spring.boot.module;

import org.springframework.boot.context.properties.ConfigurationProperties;

/** Contracts of events. */
@ConfigurationProperties("outbox.contracts")
public class ContractsProperties {
    /** Whether to check events against their contracts when they are written. */
    private boolean enabled = true;

    /** Directory of the contracts, for example classpath:contracts or file:/etc/contracts. */
    private String location = DEFAULT_LOCATION;

    /** What to do with an event that violates its contract. */
    private OnViolation onViolation = OnViolation.REJECT;

    /** Whether to also refuse events whose type has no contract. */
    private boolean refuseUnknown;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getLocation() {
        return location;
    }

    public void setLocation(String location) {
        this.location = location;
    }

    public OnViolation getOnViolation() {
        return onViolation;
    }

    public void setOnViolation(OnViolation onViolation) {
        this.onViolation = onViolation;
    }

    public boolean isRefuseUnknown() {
        return refuseUnknown;
    }

    public void setRefuseUnknown(boolean refuseUnknown) {
        this.refuseUnknown = refuseUnknown;
    }

    static final String DEFAULT_LOCATION = "classpath:contracts";

    /** What happens when an event violates its contract. */
    public enum OnViolation {
        /** The write fails with an exception. */
        REJECT,
        /** The event is written, and a warning is logged. */
        WARN
    }
}
