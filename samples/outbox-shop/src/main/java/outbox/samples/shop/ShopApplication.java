package outbox.samples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import outbox.domain.handler.RetryRule;

/** The shop. Everything about the outbox is in {@code application.properties} and in the services themselves. */
@SpringBootApplication
@EnableConfigurationProperties(ShopSettings.class)
public class ShopApplication {
    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }

    /** Named by handlers: four attempts, then a person has to look. */
    @Bean
    RetryRule shop(ShopSettings settings) {
        long first = settings.retryDelay().toMillis();
        return RetryRule.exponential(first, 8 * first, 4);
    }

    @EventListener
    void ready(WebServerInitializedEvent event) {
        System.out.printf("""

                  The shop is open:  http://localhost:%d

                  Place an order, or a hundred, and watch their events: order -> payment -> mail.
                  Try the flaky card (it is retried), the bank that is out and the bad address (they are
                  dead letters; repair the cause and replay them).

                  Ctrl+C ends it.

                """, event.getWebServer().getPort());
    }
}
