package outbox.inbox.webhook;

/**
 * The answer to a webhook; its body is plain text.
 *
 * @param status of HTTP
 * @param retryAfterSeconds for the header {@code Retry-After}; 0 for none
 */
public record WebhookAnswer(int status, String body, int retryAfterSeconds) {
    WebhookAnswer(int status, String body) {
        this(status, body, 0);
    }
}
