package outbox.spring.boot.properties;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Webhooks that a consumer group receives. */
public class InboxWebhookProperties {
    /** Path that receives webhooks, such as /webhooks/orders. Without one, none are received. */
    private @Nullable String path;

    /** Secrets of the signature, whsec_ and Base64: the current one, and during rotation the other one too. */
    private List<String> secrets = new ArrayList<>();

    /** How old a signature may be. */
    private Duration tolerance = Duration.ofMinutes(5);

    /** Type of messages whose body names none. */
    private String type = "webhook";

    /** Requests are answered with 503 while this many messages wait to be handled. */
    private int maxPending = 100_000;

    public @Nullable String getPath() {
        return path;
    }

    public void setPath(@Nullable String path) {
        this.path = path;
    }

    public List<String> getSecrets() {
        return secrets;
    }

    public void setSecrets(List<String> secrets) {
        this.secrets = secrets;
    }

    public Duration getTolerance() {
        return tolerance;
    }

    public void setTolerance(Duration tolerance) {
        this.tolerance = tolerance;
    }

    public String getType() {
        return type;
    }

    public void setType(String type) {
        this.type = type;
    }

    public int getMaxPending() {
        return maxPending;
    }

    public void setMaxPending(int maxPending) {
        this.maxPending = maxPending;
    }
}
