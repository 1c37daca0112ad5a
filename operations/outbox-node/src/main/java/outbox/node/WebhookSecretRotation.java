package outbox.node;

import outbox.webhook.WebhookEndpoint;

/**
 * Creates a new secret for an endpoint in the application's own secret store, when an operator requests it. Secrets
 * never pass through the control center or its tables: the endpoint's secret source returns the new secret and, until
 * the receiver knows it, the old one too. Implementations are thread-safe.
 */
@FunctionalInterface
public interface WebhookSecretRotation {
    /** @return the message for the operator, such as a version and when it takes effect; never the secret */
    String rotate(WebhookEndpoint endpoint) throws Exception;
}
