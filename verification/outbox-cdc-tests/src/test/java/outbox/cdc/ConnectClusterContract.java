package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.cdc.CdcFixture.LIMIT;

import io.debezium.document.Document;
import io.debezium.document.DocumentWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedKafka;

/**
 * Two workers of Kafka Connect read a table that the library writes; the one with the task is killed. The worker file, the connector
 * file and the user of the database are those of the docs; only addresses and the password differ.
 */
abstract class ConnectClusterContract {
    private static final int EVENTS = 2_000;
    private static final int KEYS = 16;
    private static final String PASSWORD = "change-me";

    private final Map<String, ConsumerRecord<String, String>> firstById = new LinkedHashMap<>();
    private int duplicates;

    @TempDir
    Path directory;

    abstract DatabaseServer server();

    /** The part of the files' names that names the database. */
    abstract String fileName();

    @Test
    void nothingIsLostWhenTheWorkerWithTheTaskIsKilled() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.launch();
                ConnectCluster cluster = new ConnectCluster(kafka.bootstrapServers(), directory, 2);
                CdcFixture fixture = new CdcFixture(server().createDatabase("shop"));
                KafkaConsumer<String, String> consumer = consumer(kafka.bootstrapServers())) {
            ConnectFileContract.createConnectUser(fixture);
            consumer.subscribe(Pattern.compile("outbox\\.event\\..*"));
            List<EventEnvelope> written = new ArrayList<>(write(fixture, 0, EVENTS / 4));

            cluster.post(connector(fixture, kafka.bootstrapServers()));
            ConnectCluster.Worker first = cluster.workerOfTheTask();
            receive(consumer, written);

            written.addAll(write(fixture, EVENTS / 4, EVENTS / 2));
            ConnectCluster.kill(first);
            written.addAll(write(fixture, EVENTS / 2, EVENTS));
            assertThat(cluster.workerOfTheTask()).isNotEqualTo(first);
            receive(consumer, written);

            assertThat(firstById.keySet()).as("phantoms").hasSameSizeAs(written);
            assertOrdered(written);
            assertTopicsAndHeaders(written);
            System.out.println("Kafka Connect, " + fileName() + ": " + written.size() + " events written, 0 lost, "
                    + duplicates + " received twice, one worker of two killed");
        }
    }

    private List<EventEnvelope> write(CdcFixture fixture, int from, int to) {
        List<EventEnvelope> events = new ArrayList<>(IntStream.range(from, to)
                .mapToObj(i -> CdcFixture.event("k" + i % KEYS, i))
                .toList());
        events.add(EventEnvelope.ofJson("NoAggregate", "{}"));
        events.add(EventEnvelope.builder("OddName")
                .aggregateType("Kunde/Größe 1")
                .aggregateId("1")
                .payloadJson("{}")
                .build());
        for (int i = 0; i < events.size(); i += 50) {
            fixture.write(events.subList(i, Math.min(i + 50, events.size())).toArray(EventEnvelope[]::new));
        }
        return events;
    }

    /** The file of the docs, with the addresses of this test. */
    private String connector(CdcFixture fixture, String kafka) throws Exception {
        Path secrets = Files.writeString(directory.resolve("connect.properties"), "password=" + PASSWORD + "\n");
        Document document = ConnectFileContract.file(fileName());
        Document config = document.getDocument("config");
        DatabaseAddress address = DatabaseAddress.of(
                fixture.database.jdbcUrl(), fixture.database.username(), fixture.database.password());
        config.setString("database.hostname", address.host());
        config.setString("database.port", "" + address.port());
        config.setString("database.password", "${file:" + secrets + ":password}");
        if (config.has("schema.history.internal.kafka.bootstrap.servers")) {
            config.setString("schema.history.internal.kafka.bootstrap.servers", kafka);
        }
        return DocumentWriter.defaultWriter().write(document);
    }

    private static KafkaConsumer<String, String> consumer(String kafka) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", kafka,
                        "group.id", "consumer",
                        "auto.offset.reset", "earliest",
                        "metadata.max.age.ms", "500"),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private void receive(KafkaConsumer<String, String> consumer, List<EventEnvelope> written) {
        Set<String> missing = new HashSet<>();
        written.forEach(event -> missing.add(event.eventId()));
        missing.removeAll(firstById.keySet());
        long end = System.nanoTime() + LIMIT.multipliedBy(4).toNanos();
        while (!missing.isEmpty()) {
            assertThat(System.nanoTime())
                    .as("%d of %d are missing", missing.size(), written.size())
                    .isLessThan(end);
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                String id = header(record, "id");
                if (firstById.putIfAbsent(id, record) != null) {
                    duplicates++;
                }
                missing.remove(id);
            }
        }
    }

    private static String header(ConsumerRecord<String, String> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    private void assertOrdered(List<EventEnvelope> written) {
        for (int key = 0; key < KEYS; key++) {
            String id = "k" + key;
            assertThat(firstById.values().stream()
                            .filter(record -> id.equals(record.key()))
                            .map(record -> header(record, "id")))
                    .as(id)
                    .containsExactlyElementsOf(written.stream()
                            .filter(event -> id.equals(event.aggregateId()))
                            .map(EventEnvelope::eventId)
                            .toList());
        }
    }

    private void assertTopicsAndHeaders(List<EventEnvelope> written) {
        for (EventEnvelope event : written) {
            ConsumerRecord<String, String> record = firstById.get(event.eventId());
            assertThat(record.topic())
                    .isEqualTo(
                            switch (event.eventType()) {
                                case "NoAggregate" -> "outbox.event.__GLOBAL__";
                                case "OddName" -> "outbox.event.__OTHER__";
                                default -> "outbox.event.Order";
                            });
            assertThat(record.key()).isEqualTo(event.aggregateId());
            assertThat(record.value().replace(" ", "")).isEqualTo(event.payloadJson());
            assertThat(header(record, "eventType")).isEqualTo(event.eventType());
        }
    }
}
