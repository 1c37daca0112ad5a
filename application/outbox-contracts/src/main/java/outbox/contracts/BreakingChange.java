package outbox.contracts;

/**
 * A difference between two contracts that can break readers of the old one when they receive events of the new one.
 *
 * @param from the old contract, such as {@code order.placed v1}
 * @param to the new one, or {@code -} if it is gone
 * @param path JSON pointer into the payload; {@code /} for the whole payload
 * @param change the difference, and its effect on readers
 * @param accepted the reason the new contract gives for it in {@value #ACCEPTED}; empty if it gives none
 */
public record BreakingChange(String from, String to, String path, String change, String accepted) {
    /** Top-level keyword of a contract that accepts a breaking change, with the reason. */
    public static final String ACCEPTED = "x-breaks-readers";

    public boolean isAccepted() {
        return !accepted.isEmpty();
    }

    @Override
    public String toString() {
        return from + " -> " + to + "  " + path + "  " + change
                + (isAccepted() ? "  (accepted: " + accepted + ")" : "");
    }
}
