package outbox.spring.boot.module;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;

/** There are unknown properties under {@code outbox}. */
final class UnknownPropertyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Unknown> unknown;

    /**
     * @param origin file and line, if known
     * @param nearest a property with a similar name
     */
    record Unknown(
            String name, @Nullable Origin origin, @Nullable String nearest) {
        private String described() {
            return name + (origin == null ? "" : " (from " + origin + ")");
        }

        private String remedy() {
            return nearest == null ? "Remove " + name + "." : "Replace " + name + " by " + nearest + ", or remove it.";
        }
    }

    UnknownPropertyException(List<Unknown> unknown) {
        super("the outbox has no such properties: "
                + unknown.stream().map(Unknown::described).collect(Collectors.joining(", ")));
        this.unknown = List.copyOf(unknown);
    }

    /** Shows the origin of each property and a suggestion. */
    static final class Analyzer extends AbstractFailureAnalyzer<UnknownPropertyException> {
        @Override
        protected FailureAnalysis analyze(Throwable rootFailure, UnknownPropertyException cause) {
            return new FailureAnalysis(
                    "The outbox has no such properties:"
                            + cause.unknown.stream()
                                    .map(property -> "\n    " + property.described())
                                    .collect(Collectors.joining()),
                    cause.unknown.stream().map(Unknown::remedy).collect(Collectors.joining("\n")),
                    cause);
        }
    }
}
