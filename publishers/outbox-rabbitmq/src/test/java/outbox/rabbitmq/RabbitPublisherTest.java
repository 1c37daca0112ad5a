package outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

class RabbitPublisherTest {
    @Test
    void withoutABrokerEveryAttemptFailsAndNothingHangs() {
        ConnectionFactory nowhere = new ConnectionFactory();
        nowhere.setHost("127.0.0.1");
        nowhere.setPort(1);
        try (RabbitPublisher publisher = RabbitPublisher.builder(nowhere)
                .confirmTimeout(Duration.ofSeconds(2))
                .build()) {
            List<CompletableFuture<?>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                sent.add(publisher
                        .onEventAsync(EventEnvelope.ofJson("order.placed", "{}"))
                        .toCompletableFuture());
            }
            assertThat(sent)
                    .allSatisfy(each -> assertThatThrownBy(() -> each.get(30, TimeUnit.SECONDS))
                            .hasCauseInstanceOf(IOException.class)
                            .hasMessageContaining("no connection to RabbitMQ"));
        }
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        RabbitPublisherBuilder builder = RabbitPublisher.builder(new ConnectionFactory());
        assertThatThrownBy(() -> builder.confirmTimeout(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.exchange("{nothing}")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.routingKey(" ")).isInstanceOf(IllegalArgumentException.class);
    }
}
