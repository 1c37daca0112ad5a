package outbox.spring.boot.module;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.listener.RetryPreset;

/** Sending events to a Spring MessageChannel. */
@ConfigurationProperties("outbox.messaging")
public class MessagingRouteProperties extends RouteProperties {
    /** Whether to send events to the channel. Default: true if there is any other property outbox.messaging.*. */
    private @Nullable Boolean enabled;

    /**
     * Name of the MessageChannel bean that events are sent to, such as one of Spring Integration or Spring Cloud Stream.
     * Required for this route.
     */
    private @Nullable String channel;

    /** How long to wait if the channel is full. An event that it does not accept in this time is retried. */
    private Duration sendTimeout = Duration.ofSeconds(30);

    public MessagingRouteProperties() {
        super(RetryPreset.RELAY);
    }

    public @Nullable Boolean getEnabled() {
        return enabled;
    }

    public void setEnabled(@Nullable Boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getChannel() {
        return channel;
    }

    public void setChannel(@Nullable String channel) {
        this.channel = channel;
    }

    public Duration getSendTimeout() {
        return sendTimeout;
    }

    public void setSendTimeout(Duration sendTimeout) {
        this.sendTimeout = sendTimeout;
    }
}
