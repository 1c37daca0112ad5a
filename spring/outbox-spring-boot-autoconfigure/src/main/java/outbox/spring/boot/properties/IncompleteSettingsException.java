package outbox.spring.boot.properties;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Properties have no effect because another one that they need is missing. */
public final class IncompleteSettingsException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    /**
     * @param problem in lower case and without a full stop
     * @param action what to do, as sentences
     */
    public IncompleteSettingsException(String problem, String action) {
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
