package outbox.spring.boot.properties;

import java.util.ArrayList;
import java.util.List;
import outbox.domain.type.EventNaming;

/** Types of events. */
public class EventProperties {
    /** Naming rule that event types must follow. */
    private EventNaming naming = EventNaming.FREE;

    /** Packages to scan for classes with @EventName or @Externalized. Default: the packages of the application. */
    private List<String> packages = new ArrayList<>();

    public EventNaming getNaming() {
        return naming;
    }

    public void setNaming(EventNaming naming) {
        this.naming = naming;
    }

    public List<String> getPackages() {
        return packages;
    }

    public void setPackages(List<String> packages) {
        this.packages = packages;
    }
}
