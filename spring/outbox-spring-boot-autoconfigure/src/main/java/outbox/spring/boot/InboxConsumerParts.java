package outbox.spring.boot;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;
import outbox.spring.boot.properties.InboxGroupProperties;
import outbox.spring.boot.properties.RefusedSettingsException;

/** What the consumers of a group need on the class path. Without it they would silently read nothing. */
final class InboxConsumerParts {
    private InboxConsumerParts() {}

    static void refuseMissing(String group, InboxGroupProperties properties, ListableBeanFactory beans) {
        String prefix = "outbox.inbox.groups." + group;
        if (!properties.getKafka().getTopics().isEmpty()) {
            require(
                    prefix + ".kafka.topics",
                    "org.apache.kafka.clients.consumer.Consumer",
                    "org.apache.kafka:kafka-clients");
        }
        if (!properties.getRabbitmq().getQueues().isEmpty()) {
            require(prefix + ".rabbitmq.queues", "com.rabbitmq.client.ConnectionFactory", "com.rabbitmq:amqp-client");
        }
        if (properties.getWebhook().getPath() != null) {
            require(prefix + ".webhook.path", "outbox.webhook.WebhookVerifier", "dev.outbox:outbox-webhook");
            if (!beans.containsBean("outboxInboxWebhooks")) {
                throw new RefusedSettingsException(
                        prefix + ".webhook.path is set, but this is no web application, so webhooks could not arrive",
                        "Add a web server, for example spring-boot-starter-web, or remove the property.");
            }
        } else if (!properties.getWebhook().getSecrets().isEmpty()) {
            throw new RefusedSettingsException(
                    prefix + ".webhook.secrets is set, but " + prefix
                            + ".webhook.path is not, so no webhook would be received",
                    "Set the path.");
        }
    }

    private static void require(String property, String type, String artifact) {
        if (!ClassUtils.isPresent(type, InboxConsumerParts.class.getClassLoader())) {
            throw new RefusedSettingsException(
                    property + " is set, but what it needs is not on the class path", "Add " + artifact + ".");
        }
    }
}
