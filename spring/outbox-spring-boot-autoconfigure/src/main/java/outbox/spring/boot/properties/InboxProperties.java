package outbox.spring.boot.properties;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Received messages. */
@ConfigurationProperties(prefix = InboxProperties.PREFIX)
public class InboxProperties {
    public static final String PREFIX = "outbox.inbox";

    /** Consumer groups by name. */
    private final Map<String, InboxGroupProperties> groups = new LinkedHashMap<>();

    public Map<String, InboxGroupProperties> getGroups() {
        return groups;
    }
}
