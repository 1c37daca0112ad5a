package outbox.webhook;

/** The request is not authentic; respond with status 400 or 401 and do not process it. */
public class WebhookVerificationException extends Exception {
    private static final long serialVersionUID = 1L;

    WebhookVerificationException(String message) {
        super(message);
    }
}
