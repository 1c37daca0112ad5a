package outbox.webhook;

/** A request is not what it claims to be; answer it with a status of 400 or 401 and do nothing else with it. */
public class WebhookVerificationException extends Exception {
    private static final long serialVersionUID = 1L;

    WebhookVerificationException(String message) {
        super(message);
    }
}
