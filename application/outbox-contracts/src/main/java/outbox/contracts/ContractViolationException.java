package outbox.contracts;

import java.util.List;

/** An event does not look as its contract says; it was not written. Says where and why, never with which value. */
public class ContractViolationException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    ContractViolationException(String message, List<String> problems) {
        super(message);
        this.problems = List.copyOf(problems);
    }

    /** One line for each thing that is wrong: the place in the payload and the rule it breaks. */
    public List<String> problems() {
        return problems;
    }
}
