package outbox.contracts;

/**
 * A difference between two contracts by which somebody who reads by the old one may fail on events of the new one.
 *
 * @param from the old contract, such as {@code order.placed v1}
 * @param to the new one, or {@code -} if it is gone
 * @param path where in the schema, as a JSON pointer into the payload; {@code /} for all of it
 * @param change what is different, and what that does to a reader
 * @param accepted the reason the new contract gives for it in {@value #ACCEPTED}; empty if it gives none
 */
public record BreakingChange(String from, String to, String path, String change, String accepted) {
    /** A keyword at the top of a contract by which its authors say that they mean to break readers, and why. */
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
