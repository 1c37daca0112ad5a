package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

/**
 * 15 000 events by the log to Kafka, and the process that does it is killed five times on the way. For figures,
 * {@code -Doutbox.cdc.events=50000}.
 */
class KilledRelayIT {
    private static final int EVENTS = Integer.getInteger("outbox.cdc.events", 15_000);
    private static final int KEYS = 250;
    private static final int KILLS = 5;
    private static final int PER_TRANSACTION = 250;

    private final Set<String> ids = new HashSet<>();
    private final Map<String, List<Integer>> byKey = new HashMap<>();
    private final CountDownLatch killed = new CountDownLatch(KILLS);
    private int received;

    @Test
    @Timeout(600)
    void noneIsLostOrderIsKeptAndWhatComesTwiceCameAroundAKill() throws Exception {
        String kafka = EmbeddedKafka.shared();
        try (EmbeddedServer server =
                        EmbeddedPostgres.start(ServerOptions.defaults().with("wal_level", "logical"));
                CdcFixture fixture = new CdcFixture(server.freshDatabase());
                KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers", kafka,
                                "group.id", "killed-relay",
                                "auto.offset.reset", "earliest",
                                "metadata.max.age.ms", "500"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.subscribe(List.of("outbox.event.Order")); // only this test writes there
            Process relay = startRelay(fixture, kafka);
            // Through with the rows of the table, of which there are none: all events come by the log.
            await().atMost(Duration.ofMinutes(3))
                    .until(() -> fixture.query("SELECT offset_value FROM outbox_cdc_offset") != null);
            Thread writer = new Thread(() -> writeAll(fixture), "writer");
            writer.start();
            int duplicates = 0;
            try {
                for (int kill = 1; kill <= KILLS; kill++) {
                    receive(consumer, relay, kill * EVENTS / (2 * KILLS));
                    relay.destroyForcibly().waitFor(); // SIGKILL
                    receiveWhatIsThere(consumer);
                    assertThat(ids).as("killed on the way").hasSizeLessThan(EVENTS);
                    killed.countDown();
                    relay = startRelay(fixture, kafka);
                }
                receive(consumer, relay, EVENTS);
                duplicates = received - ids.size();
            } finally {
                relay.destroyForcibly().waitFor();
                writer.interrupt(); // for a failed run: it may still wait for a kill
                writer.join();
            }

            assertThat(ids).hasSize(EVENTS);
            byKey.forEach((key, numbers) -> assertThat(runsOf(key, numbers)).isLessThanOrEqualTo(KILLS + 1));
            assertThat(duplicates).as("duplicates").isLessThanOrEqualTo(KILLS * 2 * 512);
            System.out.println(
                    EVENTS + " events, " + KILLS + " kills: 0 lost, 0 out of order, " + duplicates + " duplicates");
        }
    }

    /** A key's numbers are 1, 2, 3, …; after a kill they may begin again a little further back. */
    private static int runsOf(String key, List<Integer> numbers) {
        int runs = 1;
        int last = 0;
        int highest = 0;
        for (int number : numbers) {
            if (number != last + 1) {
                assertThat(number).as("%s skips an event: %s", key, numbers).isLessThanOrEqualTo(highest);
                runs++;
            }
            last = number;
            highest = Math.max(highest, number);
        }
        assertThat(highest).as(key).isEqualTo(EVENTS / KEYS);
        return runs;
    }

    /** The kills are in the first half; the last quarter waits for them, so that they all find the relay on its way. */
    private void writeAll(CdcFixture fixture) {
        for (int first = 0; first < EVENTS; first += PER_TRANSACTION) {
            if (first >= EVENTS / 4 * 3 && !awaitKills()) {
                return;
            }
            EventEnvelope[] events = new EventEnvelope[PER_TRANSACTION];
            for (int i = 0; i < PER_TRANSACTION; i++) {
                events[i] = CdcFixture.event("key" + (first + i) % KEYS, (first + i) / KEYS + 1);
            }
            fixture.write(events);
        }
    }

    private boolean awaitKills() {
        try {
            killed.await();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void receive(KafkaConsumer<String, String> consumer, Process relay, int goal) {
        while (ids.size() < goal) {
            assertThat(relay.isAlive()).as("the relay lives").isTrue();
            receive(consumer);
        }
    }

    private void receiveWhatIsThere(KafkaConsumer<String, String> consumer) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            receive(consumer);
        }
    }

    private void receive(KafkaConsumer<String, String> consumer) {
        for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(200))) {
            received++;
            ids.add(new String(each.headers().lastHeader("id").value(), StandardCharsets.UTF_8));
            byKey.computeIfAbsent(each.key(), key -> new ArrayList<>())
                    .add(Integer.parseInt(each.value().replaceAll("[^0-9]", "")));
        }
    }

    private static Process startRelay(CdcFixture fixture, String kafka) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RelayProcess.class.getName(),
                        fixture.database.jdbcUrl(),
                        fixture.database.username(),
                        fixture.database.password(),
                        fixture.name(),
                        kafka)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/killed-relay.log")))
                .start();
    }
}
