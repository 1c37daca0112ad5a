package outbox.spring.modulith;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import outbox.domain.type.EventTypes;
import outbox.spring.boot.SpringEventSelector;

/** Selects what Spring Modulith would externalize, and refuses what could be written, but not be read again. */
final class ExternalizedEventSelector implements SpringEventSelector {
    private final EventExternalizationConfiguration configuration;
    private final ObjectProvider<EventTypes> types;

    ExternalizedEventSelector(EventExternalizationConfiguration configuration, ObjectProvider<EventTypes> types) {
        this.configuration = configuration;
        this.types = types;
    }

    @Override
    public boolean selects(Object event) {
        if (!configuration.supports(event)) {
            return false;
        }
        Class<?> type = event.getClass();
        EventTypes known = types.getObject();
        if (known.classOf(known.nameOf(type)) != type) {
            throw new IllegalStateException(
                    type.getName() + " is externalized, and it is no registered event type, so its"
                            + " rows could not be read again: give the class itself @Externalized or @EventName, in a package of"
                            + " the application or of outbox.events.packages");
        }
        return true;
    }
}
