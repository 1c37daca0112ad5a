package outbox.control.audit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Verifies entries one after the other, from the table or from an export. Used by one thread.
 *
 * <pre>{@code
 * AuditChain chain = new AuditChain(key);
 * entries.forEach(chain::add);
 * chain.problems();   // empty if nothing was changed
 * }</pre>
 *
 * <p>An export alone does not show that entries are missing at its end: compare {@link #last()} with the number of
 * entries reported by the control center.
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
            problem("entry " + entry.seq() + " or an entry before it was modified");
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

    /** The problems found so far. */
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
