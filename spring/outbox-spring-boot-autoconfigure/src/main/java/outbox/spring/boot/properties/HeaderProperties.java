package outbox.spring.boot.properties;

import java.util.ArrayList;
import java.util.List;

/** Headers that every event gets. */
public class HeaderProperties {
    /**
     * Keys of the logging context (MDC) to store as headers of each event, for example requestId, and to restore around its
     * handlers. The key tenantId also sets the tenant of the event.
     */
    private List<String> fromMdc = new ArrayList<>();

    public List<String> getFromMdc() {
        return fromMdc;
    }

    public void setFromMdc(List<String> fromMdc) {
        this.fromMdc = fromMdc;
    }
}
