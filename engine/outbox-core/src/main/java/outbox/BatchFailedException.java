package outbox;

import java.util.Map;

/** Some events of a batch failed; those not named here are done. */
public class BatchFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Map<String, Exception> failures;

    /** @param failures what went wrong, by event id */
    public BatchFailedException(Map<String, ? extends Exception> failures) {
        super(failures.size() + " event(s) of a batch failed: " + failures.keySet());
        this.failures = Map.copyOf(failures);
    }

    /** What went wrong, by event id. */
    public Map<String, Exception> failures() {
        return failures;
    }
}
