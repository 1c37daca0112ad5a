package outbox.spring.boot.module;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;
import outbox.spring.boot.module.UnknownPropertyException.Unknown;

/**
 * Finds unknown properties under {@code outbox}, such as misspelled ones. Every properties class is bound once more
 * with a handler that records the names the binder requests; the rest is unknown. Environment variables and system
 * properties are not checked, as in Spring Boot's own check, because other programs may use the same prefix.
 */
final class UnknownProperties {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("outbox");

    /** Maximum edit distance for a suggestion. */
    private static final int MAX_DISTANCE = 3;

    private final Environment environment;
    private final Set<ConfigurationPropertyName> known = new HashSet<>();
    private final List<ConfigurationPropertyName> foreign = new ArrayList<>();

    UnknownProperties(Environment environment) {
        this.environment = environment;
    }

    /** Marks the properties of a class as known. */
    void read(String prefix, Class<?> properties) {
        Binder.get(environment).bind(prefix, Bindable.of(properties), new Noting());
    }

    /** Ignores properties of a module that is not on the class path. */
    void leaveOut(String prefix) {
        foreign.add(ConfigurationPropertyName.of(prefix));
    }

    /** @throws UnknownPropertyException if there are any */
    void refuse() {
        List<Unknown> unknown = new ArrayList<>();
        UnboundElementsSourceFilter filter = new UnboundElementsSourceFilter();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (filter.apply(source) && source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream()
                        .filter(name -> ROOT.isAncestorOf(name) && !isKnown(name))
                        .map(name -> unknown(name, source.getConfigurationProperty(name)))
                        .forEach(unknown::add);
            }
        }
        if (!unknown.isEmpty()) {
            throw new UnknownPropertyException(unknown);
        }
    }

    /** List elements may be overridden by another source, so the whole list is checked. */
    private boolean isKnown(ConfigurationPropertyName name) {
        return known.contains(name)
                || (name.isLastElementIndexed() && known.contains(name.getParent()))
                || foreign.stream().anyMatch(prefix -> prefix.isAncestorOf(name));
    }

    private Unknown unknown(ConfigurationPropertyName name, @Nullable ConfigurationProperty property) {
        return new Unknown(name.toString(), property == null ? null : property.getOrigin(), nearest(name));
    }

    private @Nullable String nearest(ConfigurationPropertyName name) {
        String written = name.toString();
        return known.stream()
                .filter(candidate -> !candidate.isAncestorOf(name))
                .filter(candidate -> candidate.getNumberOfElements() <= name.getNumberOfElements())
                .map(candidate -> candidate + below(candidate, name))
                .filter(candidate -> distance(written, candidate) <= MAX_DISTANCE)
                .min(Comparator.comparingInt((String candidate) -> distance(written, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .orElse(null);
    }

    /** Everything under an unknown group is unknown. */
    private static String below(ConfigurationPropertyName candidate, ConfigurationPropertyName name) {
        return name.toString()
                .substring(name.chop(candidate.getNumberOfElements()).toString().length());
    }

    /** The edit distance. */
    private static int distance(String from, String to) {
        String a = from.toLowerCase(Locale.ROOT);
        String b = to.toLowerCase(Locale.ROOT);
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }

    /** Records the names the binder requests. Conversion errors are ignored here; the real binding reports them. */
    private final class Noting extends AbstractBindHandler {
        @Override
        public <T> Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            known.add(name);
            return Objects.requireNonNull(super.onStart(name, target, context));
        }

        @Override
        public @Nullable Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
            return target.getValue() == null ? null : target.getValue().get();
        }
    }
}
