package outbox.dispatch;

/** The listener succeeded, but the database does not let that be written: why the attempt counts as failed. */
final class OutcomeRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutcomeRefusedException(Outcome outcome, Throwable cause) {
        super(
                "the listener succeeded, but the database refused to write the outcome " + outcome.kind() + ": "
                        + Refusal.describe(cause),
                cause,
                false,
                false);
    }
}
