package outbox.spring.boot;

import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP: shows payloads and headers depending on the user's roles. */
@EndpointWebExtension(endpoint = OutboxEndpoint.class)
public class OutboxEndpointWebExtension {
    private final OutboxEndpoint endpoint;
    private final Show showValues;
    private final Set<String> roles;

    OutboxEndpointWebExtension(OutboxEndpoint endpoint, Show showValues, Set<String> roles) {
        this.endpoint = endpoint;
        this.showValues = showValues;
        this.roles = roles;
    }

    /** One row; {@code null}, which is 404, if it does not exist. */
    @ReadOperation
    public @Nullable Map<String, Object> event(
            SecurityContext user,
            @Selector String section,
            @Selector String eventId,
            @org.springframework.lang.Nullable @Nullable String instance)
            throws SQLException {
        return endpoint.event(section, eventId, instance, showValues.isShown(user, roles));
    }
}
