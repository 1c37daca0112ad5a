package outbox.spring.boot;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import outbox.spring.boot.properties.MailProperties;
import outbox.webhook.WebhookClient;

/** Delivery of alerts of the embedded control center: {@code outbox.control-center.alerts.*}. */
public class ControlCenterAlerts {
    /** Private or reserved address blocks that alerts may be sent to, for example 10.20.0.0/16. */
    private List<String> allowedAddresses = new ArrayList<>();

    /** Whether alerts may be sent over plain HTTP. */
    private boolean allowHttp;

    @NestedConfigurationProperty
    private final MailProperties mail = new MailProperties();

    WebhookClient client() {
        WebhookClient.Builder client = WebhookClient.builder().allowAddresses(allowedAddresses.toArray(String[]::new));
        return allowHttp ? client.allowHttp().build() : client.build();
    }

    public List<String> getAllowedAddresses() {
        return allowedAddresses;
    }

    public void setAllowedAddresses(List<String> allowedAddresses) {
        this.allowedAddresses = allowedAddresses;
    }

    public boolean isAllowHttp() {
        return allowHttp;
    }

    public void setAllowHttp(boolean allowHttp) {
        this.allowHttp = allowHttp;
    }

    public MailProperties getMail() {
        return mail;
    }
}
