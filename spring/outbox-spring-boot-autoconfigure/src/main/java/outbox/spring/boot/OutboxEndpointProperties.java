package outbox.spring.boot;

import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the actuator endpoint {@code outbox}; changes are controlled by {@code
 * management.endpoint.outbox.access}.
 */
@ConfigurationProperties("management.endpoint.outbox")
public class OutboxEndpointProperties {
    /** When to show payloads and headers of events. */
    private Show showValues = Show.NEVER;

    /** Roles that see payloads and headers if show-values is when-authorized. If empty, all authenticated users do. */
    private final Set<String> roles = new LinkedHashSet<>();

    public Show getShowValues() {
        return showValues;
    }

    public void setShowValues(Show showValues) {
        this.showValues = showValues;
    }

    public Set<String> getRoles() {
        return roles;
    }
}
