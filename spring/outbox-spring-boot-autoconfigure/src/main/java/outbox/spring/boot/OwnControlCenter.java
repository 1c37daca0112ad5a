package outbox.spring.boot;

import java.util.List;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import outbox.spring.boot.properties.RefusedSettingsException;

/** A {@code ControlCenter} bean of the application is served as it is, so what would have shaped ours has no effect. */
final class OwnControlCenter {
    private static final List<String> UNUSED = List.of(
            "alerts",
            "announce",
            "audit-anchor",
            "home",
            "masked",
            "operations-retention",
            "public-url",
            "read-only",
            "trace-link");

    private OwnControlCenter() {}

    static void refuseSettings(Environment environment) {
        Binder binder = Binder.get(environment);
        List<String> set = UNUSED.stream()
                .map(name -> "outbox.control-center." + name)
                .filter(name -> binder.bind(name, String.class).isBound()
                        || binder.bind(name, Bindable.listOf(String.class)).isBound()
                        || binder.bind(name, Bindable.mapOf(String.class, Object.class))
                                .isBound())
                .toList();
        if (!set.isEmpty()) {
            throw new RefusedSettingsException(
                    "there is a ControlCenter bean, and the properties " + set
                            + " shape only one that the starter makes",
                    "Set this up in the bean, and remove the properties.");
        }
    }
}
