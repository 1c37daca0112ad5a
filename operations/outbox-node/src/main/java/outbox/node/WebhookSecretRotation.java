package outbox.node;

import outbox.webhook.WebhookEndpoint;

/**
 * Makes a new secret for an endpoint where the application keeps its secrets, when an operator asks for it. Secrets pass
 * neither the control center nor its tables: the endpoint's supplier of secrets gives out the new one and, until the
 * receiver knows it, the old one as well. Implementations are thread-safe.
 */
@FunctionalInterface
public interface WebhookSecretRotation {
    /** @return what the operator is told, such as a version and from when on it counts; never the secret */
    String rotate(WebhookEndpoint endpoint) throws Exception;
}
