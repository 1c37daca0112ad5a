package outbox.spring.boot.connections;

import jakarta.jms.ConnectionFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.jms.dsl.Jms;

/** What an application with Spring Integration and JMS has; {@link MessagingRouteTest} runs it. */
@Configuration(proxyBeanMethods = false)
@EnableIntegration
class MessagingSnippets {
    // snippet: flow
    @Bean
    DirectChannel events() { // outbox.messaging.channel=events
        return new DirectChannel();
    }

    @Bean
    IntegrationFlow toJms(DirectChannel events, ConnectionFactory connectionFactory) {
        return IntegrationFlow.from(events)
                .handle(Jms.outboundAdapter(connectionFactory).destination("orders"))
                .get();
    }
    // end
}
