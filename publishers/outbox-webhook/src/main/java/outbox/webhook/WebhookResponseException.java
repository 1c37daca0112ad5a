package outbox.webhook;

/** The receiver answered with an error status. */
public class WebhookResponseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int statusCode;

    WebhookResponseException(int statusCode, String message) {
        super(message);
        this.statusCode = statusCode;
    }

    public int statusCode() {
        return statusCode;
    }
}
