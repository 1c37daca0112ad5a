package outbox.spring.boot.module;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Properties lead nowhere, because one that they need is missing: the application would believe that they do something. */
final class IncompleteSettingsException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    IncompleteSettingsException(String problem, String action) {
        super(problem + ". " + action);
        this.problem = problem;
        this.action = action;
    }

    /** Prints it without a stack trace. */
    static final class Analyzer extends AbstractFailureAnalyzer<IncompleteSettingsException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, IncompleteSettingsException cause) {
            return new FailureAnalysis(
                    Character.toUpperCase(cause.problem.charAt(0)) + cause.problem.substring(1) + ".",
                    cause.action,
                    cause);
        }
    }
}
