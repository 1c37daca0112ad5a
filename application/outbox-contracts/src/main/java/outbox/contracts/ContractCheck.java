package outbox.contracts;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import outbox.EventEnvelope;
import outbox.WriterHook;

/**
 * Checks events against their contracts when they are written. The rejecting check throws, so that the business
 * transaction cannot commit an invalid event; the warning check only reports. Events of a type without a contract pass,
 * unless {@link #refusingUnknown()} is set; an unknown version of a known type is a violation. Thread-safe.
 */
public final class ContractCheck implements WriterHook {
    private static final Logger LOG = System.getLogger(ContractCheck.class.getName());
    private static final int SHOWN = 10;

    private final EventContracts contracts;
    private final boolean unknownAllowed;
    private final Consumer<ContractViolationException> consequence;

    private ContractCheck(
            EventContracts contracts, boolean unknownAllowed, Consumer<ContractViolationException> consequence) {
        this.contracts = Objects.requireNonNull(contracts, "contracts");
        this.unknownAllowed = unknownAllowed;
        this.consequence = Objects.requireNonNull(consequence, "consequence");
    }

    /** Rejects violations: the writer throws a {@link ContractViolationException}. */
    public static ContractCheck rejecting(EventContracts contracts) {
        return new ContractCheck(contracts, true, violation -> {
            throw violation;
        });
    }

    /** Logs violations as a warning; the event is written. */
    public static ContractCheck warning(EventContracts contracts) {
        return reporting(
                contracts,
                violation -> LOG.log(Level.WARNING, violation.getMessage() + "; the event is written anyway"));
    }

    /** Passes violations to {@code report}; its exceptions are propagated to the writer's caller. */
    public static ContractCheck reporting(EventContracts contracts, Consumer<ContractViolationException> report) {
        return new ContractCheck(contracts, true, report);
    }

    /** The same check, which also rejects types without a contract. */
    public ContractCheck refusingUnknown() {
        return new ContractCheck(contracts, false, consequence);
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        events.forEach(this::check);
        return events;
    }

    private void check(EventEnvelope event) {
        List<String> problems = problemsOf(event);
        if (!problems.isEmpty()) {
            String shown = String.join("; ", problems.subList(0, Math.min(SHOWN, problems.size())));
            String more = problems.size() > SHOWN ? "; and " + (problems.size() - SHOWN) + " more" : "";
            consequence.accept(new ContractViolationException(
                    "event " + event.eventType() + " " + event.eventId() + " violates its contract: " + shown + more,
                    problems));
        }
    }

    private List<String> problemsOf(EventEnvelope event) {
        if (!contracts.knows(event.eventType())) {
            return unknownAllowed ? List.of() : List.of("there is no contract for this type");
        }
        String header = event.headers().getOrDefault(EventContracts.VERSION_HEADER, "1");
        int version;
        try {
            version = Integer.parseInt(header);
        } catch (NumberFormatException e) {
            return List.of("its header " + EventContracts.VERSION_HEADER + " is not a number");
        }
        EventContract contract = contracts.find(event.eventType(), version);
        if (contract == null) {
            return List.of("there is no contract for version " + version + ", only for "
                    + contracts.versionsOf(event.eventType()));
        }
        return contract.problemsOf(event);
    }
}
