package outbox.benchmark;

/** Something cannot be measured here, for a reason that is no failure. */
public final class NotAvailable extends Exception {
    private static final long serialVersionUID = 1L;

    public NotAvailable(String reason) {
        super(reason);
    }
}
