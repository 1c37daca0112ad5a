package outbox.contracts;

import java.util.List;

/** An event violates its contract and was not written. The message contains location and rule, never the value. */
public class ContractViolationException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    ContractViolationException(String message, List<String> problems) {
        super(message);
        this.problems = List.copyOf(problems);
    }

    /** One line per violation: the location in the payload and the violated rule. */
    public List<String> problems() {
        return problems;
    }
}
