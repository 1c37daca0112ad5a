package outbox.samples.shop;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How slow the world outside is, so that a person can watch.
 *
 * @param cardDelay how long the simulated card company takes to answer
 * @param mailDelay how long the simulated mail server takes to answer
 * @param retryDelay how long to wait after the first failure; doubles with each one
 */
@ConfigurationProperties("shop")
public record ShopSettings(
        @DefaultValue("250ms") Duration cardDelay,
        @DefaultValue("150ms") Duration mailDelay,
        @DefaultValue("800ms") Duration retryDelay) {}
