package outbox.spring.boot;

import java.util.List;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Classes that {@code @Externalized} marks as events for other systems: Spring Modulith's annotation, or that of
 * jMolecules. They are none of the outbox while Spring Modulith sends them itself.
 */
final class ExternalizedEvents {
    private static final List<String> ANNOTATIONS =
            List.of("org.springframework.modulith.events.Externalized", "org.jmolecules.event.annotation.Externalized");

    private static final String MODULITH =
            "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration";
    private static final String PROPERTIES = "spring.modulith.events.externalization.";

    private ExternalizedEvents() {}

    /** Names of the annotations that mark an outbox event in this application. */
    static List<String> markers(Environment environment) {
        return isSentByModulith(environment) ? List.of() : ANNOTATIONS;
    }

    static boolean areOf(Class<?> type, List<String> markers) {
        if (markers.isEmpty()) {
            return false;
        }
        MergedAnnotations annotations = MergedAnnotations.from(type);
        return markers.stream().anyMatch(annotations::isPresent);
    }

    private static boolean isSentByModulith(Environment environment) {
        return ClassUtils.isPresent(MODULITH, ExternalizedEvents.class.getClassLoader())
                && environment.getProperty(PROPERTIES + "enabled", Boolean.class, true)
                && !environment.getProperty(PROPERTIES + "mode", "").equalsIgnoreCase("outbox");
    }
}
