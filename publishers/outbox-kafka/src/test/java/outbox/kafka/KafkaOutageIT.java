package outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.errors.AuthenticationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.listener.ControlledListener;
import outbox.testing.DrillArrivals;
import outbox.testing.OutageDrill;
import outbox.testing.server.EmbeddedKafka;

/** A broker that stalls, dies and comes back, and one that does not know us at first. */
class KafkaOutageIT {
    private static final int EVENTS = Integer.getInteger("outbox.test.outage.events", 20_000);
    private static final Duration PAUSE = Duration.ofSeconds(Integer.getInteger("outbox.test.outage.seconds", 8));
    private static final int KEYS = 500;

    private static EmbeddedKafka broker;

    @BeforeAll
    static void start() {
        broker = EmbeddedKafka.launch();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void aPasswordThatWasWrongForAWhileIsNotTheEnd() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
                KafkaPublisher publisher = KafkaPublisher.builder(broker.saslBootstrapServers())
                        .producer("max.block.ms", 30_000)
                        .producer("security.protocol", "SASL_PLAINTEXT")
                        .producer("sasl.mechanism", "SCRAM-SHA-256")
                        .producer(
                                "sasl.jaas.config",
                                "org.apache.kafka.common.security.scram.ScramLoginModule required"
                                        + " username=\"outbox\" password=\"for-tests\";")
                        .build()) {
            assertThatThrownBy(() -> send(publisher))
                    .hasCauseInstanceOf(AuthenticationException.class)
                    .hasMessageNotContaining("for-tests");
            admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                            "outbox", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "for-tests")))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().untilAsserted(() -> send(publisher));
        }
    }

    private static void send(KafkaPublisher publisher) throws Exception {
        publisher
                .onEventAsync(EventEnvelope.builder("order.placed")
                        .aggregateType("Known")
                        .payloadJson("{}")
                        .build())
                .toCompletableFuture()
                .get(40, TimeUnit.SECONDS);
    }

    @Test
    void nothingIsLostOrOutOfOrderAndNoAttemptIsMadeWhileTheBreakerIsOpen() {
        try (KafkaPublisher publisher = KafkaPublisher.builder(broker.bootstrapServers())
                // Gives up within the pause, so that there is something to retry.
                .producer("request.timeout.ms", 700)
                .producer("delivery.timeout.ms", 1500)
                .producer("max.block.ms", 1000)
                .producer("reconnect.backoff.max.ms", 200)
                .build()) {
            ControlledListener listener = publisher
                    .controlled()
                    .circuitBreaker(10, Duration.ofMillis(500))
                    .retryPolicy(attempts -> 200)
                    .maxAttempts(1000)
                    .build();
            OutageDrill.Report report = new OutageDrill(listener)
                    .events(EVENTS)
                    .keys(KEYS)
                    .incident(KafkaOutageIT::stall)
                    .incident(() -> {
                        broker.kill();
                        broker.start();
                    })
                    .run(PAUSE.plus(Duration.ofMinutes(6)));
            DrillArrivals arrivals = new DrillArrivals();
            KafkaReader.all(broker.bootstrapServers(), "outbox.event." + OutageDrill.AGGREGATE_TYPE)
                    .forEach(record -> arrivals.add(record.value()));

            assertThat(report.done()).as(report.toString()).isEqualTo(EVENTS);
            assertThat(arrivals.distinct()).isEqualTo(EVENTS);
            assertThat(arrivals.outOfOrder()).isEmpty();
            assertThat(report.openings()).isPositive();
            assertThat(report.leftAloneWhileOpen()).as(report.toString()).isTrue();
        }
    }

    private static void stall() {
        broker.pause();
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            broker.resume();
        }
    }
}
