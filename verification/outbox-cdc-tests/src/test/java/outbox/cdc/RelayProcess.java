package outbox.cdc;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import outbox.kafka.KafkaPublisher;

/** A relay to Kafka in a JVM of its own, to be killed. */
final class RelayProcess {
    private RelayProcess() {}

    public static void main(String[] args) throws Exception {
        KafkaPublisher publisher = KafkaPublisher.builder(args[4]).build();
        CdcRelay.reading(args[0], args[1], args[2])
                .name(args[3])
                .listeners((aggregateType, eventType) -> publisher)
                .batchSize(512)
                .heartbeat(Duration.ofMillis(500))
                .retryInterval(Duration.ofMillis(200))
                .build()
                .start();
        new CountDownLatch(1).await();
    }
}
