package outbox.spring.boot.properties;

import java.util.ArrayList;
import java.util.List;
import outbox.domain.type.EventNaming;

/** Types of events. */
public class EventProperties {
    /** Rule for names of event types. */
    private EventNaming naming = EventNaming.FREE;

    /** Packages to look for classes with @EventName in. Default: those of the application. */
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
