package outbox.control.audit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks entries one after the other, wherever they come from: the table, or an export that left the house. Used by one
 * thread.
 *
 * <pre>{@code
 * AuditChain chain = new AuditChain(key);
 * entries.forEach(chain::add);
 * chain.problems();   // empty if nothing was changed
 * }</pre>
 *
 * <p>What was cut off at the end of an export cannot be seen from the export alone: compare {@link #last()} with the
 * number of entries the control center's own check names.
 */
public final class AuditChain {
    private static final int MAX_PROBLEMS = 100;

    private final AuditKey key;
    private final List<String> problems = new ArrayList<>();
    private String previous = "";
    private long seq;

    public AuditChain(AuditKey key) {
        this.key = key;
    }

    public void add(AuditEntry entry) {
        if (entry.seq() != seq + 1) {
            problem(
                    entry.seq() > seq
                            ? "entries " + (seq + 1) + " to " + (entry.seq() - 1) + " are missing"
                            : "entry " + entry.seq() + " comes after entry " + seq);
        }
        if (!AuditKey.equal(key.mac(previous, entry), entry.mac())) {
            problem("entry " + entry.seq() + " was changed, or what stands before it was");
        }
        previous = entry.mac();
        seq = entry.seq();
    }

    /** @param text {@code null} for nothing */
    void problem(@Nullable String text) {
        if (text != null && problems.size() <= MAX_PROBLEMS) {
            problems.add(text);
        }
    }

    boolean isHopeless() {
        return problems.size() > MAX_PROBLEMS;
    }

    /** What does not fit. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /** The number of the last entry. */
    public long last() {
        return seq;
    }

    String lastMac() {
        return previous;
    }
}
