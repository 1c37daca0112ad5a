package outbox.spring.boot.properties;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** The properties and beans of the application contradict each other, or something they need is missing. */
public final class RefusedSettingsException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    /**
     * @param problem in lower case and without a full stop; the origin of the properties it names is printed with it
     * @param action what to do, as sentences
     */
    public RefusedSettingsException(String problem, String action) {
        this(problem, action, null);
    }

    public RefusedSettingsException(String problem, String action, @Nullable Throwable cause) {
        super(problem + ". " + action, cause);
        this.problem = problem;
        this.action = action;
    }

    /** Prints it without a stack trace, and says where the properties are set. */
    static final class Analyzer extends AbstractFailureAnalyzer<RefusedSettingsException> {
        private static final Pattern PROPERTY = Pattern.compile("\\b(?:outbox|spring)(?:\\.[a-z0-9-]+)+");

        private final Environment environment;

        Analyzer(Environment environment) {
            this.environment = environment;
        }

        @Override
        protected FailureAnalysis analyze(Throwable root, RefusedSettingsException cause) {
            Set<String> origins = origins(cause.problem);
            return new FailureAnalysis(
                    sentence(cause.problem)
                            + (origins.isEmpty()
                                    ? ""
                                    : origins.stream()
                                            .collect(Collectors.joining(
                                                    "\n    ", "\n\nWhere these are set:\n    ", ""))),
                    cause.action,
                    cause);
        }

        private static String sentence(String problem) {
            boolean startsWithName = PROPERTY.matcher(problem).lookingAt();
            return (startsWithName ? problem : Character.toUpperCase(problem.charAt(0)) + problem.substring(1)) + ".";
        }

        private Set<String> origins(String problem) {
            Set<String> origins = new TreeSet<>();
            Matcher names = PROPERTY.matcher(problem);
            while (names.find()) {
                if (ConfigurationPropertyName.isValid(names.group())) {
                    addOrigins(origins, ConfigurationPropertyName.of(names.group()));
                }
            }
            return origins;
        }

        /** @param name of a property, or of a group of them */
        private void addOrigins(Set<String> origins, ConfigurationPropertyName name) {
            Set<ConfigurationPropertyName> found = new HashSet<>();
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                Stream<ConfigurationPropertyName> group = source instanceof IterableConfigurationPropertySource all
                        ? all.stream().filter(name::isAncestorOf)
                        : Stream.empty();
                Stream.concat(Stream.of(name), group).forEach(each -> {
                    ConfigurationProperty property = source.getConfigurationProperty(each);
                    if (property != null && property.getOrigin() != null && found.add(each)) {
                        origins.add(each + ": " + property.getOrigin()); // not the value: it may be a secret
                    }
                });
            }
        }
    }
}
