package outbox.samples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;

/** Starts the service and says how to talk to it. */
@SpringBootApplication
public class OrderApplication {
    public static void main(String[] args) {
        SpringApplication.run(OrderApplication.class, args);
    }

    @EventListener
    void tellHowToTry(WebServerInitializedEvent started) {
        System.out.println("""

                The order service is up. Try, in another terminal:

                  curl -H 'Content-Type: application/json' -d '{"item":"lamp","quantity":2}' localhost:%1$d/orders
                  curl localhost:%1$d/deliveries        what the listener got
                  curl localhost:%1$d/events            the rows of the outbox table

                An order of the item "sofa" is sold out: it is rolled back together with its event. One of the item
                "bomb" is accepted, but its event cannot be delivered; see localhost:%1$d/dead-letters.

                Ctrl-C ends it.
                """.formatted(started.getWebServer().getPort()));
    }
}
