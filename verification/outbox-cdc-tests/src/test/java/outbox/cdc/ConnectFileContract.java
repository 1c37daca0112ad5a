package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;

import io.debezium.document.Document;
import io.debezium.document.DocumentReader;
import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.testing.server.DatabaseServer;

/**
 * The file a user posts to a Connect cluster, run as it is: the real connector reads a real database, the real router and
 * the converters of the file make the record. Only what the file leaves to the user is replaced: where the database is, and where
 * Connect keeps its own state. What happens in intervals happens more often.
 */
abstract class ConnectFileContract {
    CdcFixture fixture;
    private Map<String, String> file;
    final List<SourceRecord> records = new CopyOnWriteArrayList<>();
    private DebeziumEngine<?> engine;
    private Thread thread;

    abstract DatabaseServer server();

    /** The part of the file's name that names the database. */
    abstract String fileName();

    /** The database as it is when the connector starts. */
    void prepare(CdcFixture fixture) throws Exception {}

    @BeforeEach
    void start() throws Exception {
        fixture = new CdcFixture(server().createDatabase("shop"));
        prepare(fixture);
        createConnectUser(fixture);
        file = new LinkedHashMap<>();
        Document document = file(fileName());
        document.getDocument("config")
                .forEach(field ->
                        file.put(field.getName().toString(), field.getValue().asString()));
        Properties properties = new Properties();
        properties.putAll(file);
        DatabaseAddress address = DatabaseAddress.of(
                fixture.database.jdbcUrl(), fixture.database.username(), fixture.database.password());
        properties.put("name", document.getString("name"));
        properties.put("database.hostname", address.host());
        properties.put("database.port", "" + address.port());
        properties.put("database.password", "change-me");
        properties.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
        properties.put("offset.flush.interval.ms", "100");
        properties.put("heartbeat.interval.ms", "300");
        properties.put("schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
        CountDownLatch polling = new CountDownLatch(1);
        engine = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                .using(properties)
                .using(new DebeziumEngine.ConnectorCallback() {
                    @Override
                    public void pollingStarted() {
                        polling.countDown();
                    }
                })
                .notifying((RecordChangeEvent<SourceRecord> change) -> records.add(change.record()))
                .build();
        thread = new Thread(engine, "connect-file");
        thread.start();
        assertThat(polling.await(60, TimeUnit.SECONDS)).isTrue();
        awaitStreaming();
    }

    /** Polling may start before the snapshot is taken; once a row came through, every later change is in the log that is read. */
    private void awaitStreaming() throws Exception {
        fixture.write(EventEnvelope.builder("first").payloadJson("{}").build());
        await().atMost(LIMIT).until(() -> !events().isEmpty());
        records.clear();
    }

    static Document file(String database) throws IOException {
        return DocumentReader.defaultReader()
                .read(Files.readString(docs().resolve("kafka-connect/outbox-" + database + ".json")));
    }

    /** By the script of the docs. */
    static void createConnectUser(CdcFixture fixture) throws IOException {
        String script = Files.readString(
                docs().resolve("kafka-connect/outbox-" + (fixture.isPostgres() ? "postgresql" : "mysql") + ".sql"));
        fixture.execute(script.replaceAll("(?m)^--.*$", "").strip().split(";\\s*"));
    }

    /** The repository's own pages; tests run in the directory of their module. */
    static Path docs() {
        return Path.of(System.getProperty("outbox.docs", "../../docs"));
    }

    @AfterEach
    void stop() throws Exception {
        engine.close();
        thread.join(30_000);
        fixture.close();
        fixture.relay().name("outbox_connect").build().forget(); // its slot
        fixture.dropUser("outbox_connect");
        fixture.database.drop();
    }

    @Test
    void theRouterMakesTheRecordsThePageDescribes() throws Exception {
        EventEnvelope placed = EventEnvelope.builder("order.placed")
                .aggregateType("Order")
                .aggregateId("42")
                .tenantId("acme")
                .headers(Map.of("traceparent", "00-ab-cd-01"))
                .payloadJson("{\"total\":12.5}")
                .build();
        fixture.write(placed);
        fixture.execute("UPDATE outbox_event SET status = 1", "DELETE FROM outbox_event");
        EventEnvelope global =
                EventEnvelope.builder("Blob").payloadBytes(new byte[] {1, 2}).build();
        fixture.write(global);
        await().atMost(LIMIT).until(() -> events().size() >= 2);

        SourceRecord order = events().get(0);
        assertThat(order.topic()).isEqualTo("outbox.event.Order");
        assertThat(key(order)).isEqualTo("42");
        assertThat(value(order).replace(" ", "")).isEqualTo("{\"total\":12.5}");
        Map<String, String> headers = headers(order);
        assertThat(headers)
                .containsEntry("id", placed.eventId())
                .containsEntry("eventType", "order.placed")
                .containsEntry("tenantId", "acme")
                .containsOnlyKeys("id", "eventType", "occurredAt", "tenantId", "headers");
        assertThat(headers.get("headers").replace(" ", "")).isEqualTo("{\"traceparent\":\"00-ab-cd-01\"}");
        assertThat(instant(headers.get("occurredAt")))
                .isEqualTo(placed.occurredAt().truncatedTo(ChronoUnit.MICROS));

        SourceRecord blob = events().get(1);
        assertThat(blob.topic()).isEqualTo("outbox.event." + global.aggregateType());
        assertThat(blob.key()).isNull();
        assertThat(value(blob).replace(" ", "")).isEqualTo("{\"$outbox.bytes\":\"AQI=\"}");
        assertThat(events()).as("updates and deletions are no events").hasSize(2);
    }

    private static Instant instant(String text) {
        return OffsetDateTime.parse(text).toInstant();
    }

    private List<SourceRecord> events() {
        return records.stream()
                .filter(record -> record.topic().startsWith("outbox.event."))
                .toList();
    }

    private String key(SourceRecord record) throws Exception {
        return converted("key.converter", record.topic(), record.keySchema(), record.key());
    }

    private String value(SourceRecord record) throws Exception {
        return converted("value.converter", record.topic(), record.valueSchema(), record.value());
    }

    private String converted(String setting, String topic, org.apache.kafka.connect.data.Schema schema, Object data)
            throws Exception {
        Converter converter = (Converter)
                Class.forName(file.get(setting)).getDeclaredConstructor().newInstance();
        converter.configure(Map.of(), setting.startsWith("key"));
        return new String(converter.fromConnectData(topic, schema, data), StandardCharsets.UTF_8);
    }

    private Map<String, String> headers(SourceRecord record) throws Exception {
        Map<String, String> headers = new LinkedHashMap<>();
        try (HeaderConverter converter = (HeaderConverter) Class.forName(file.get("header.converter"))
                .getDeclaredConstructor()
                .newInstance()) {
            converter.configure(Map.of("converter.type", "header"));
            for (Header header : record.headers()) {
                byte[] bytes =
                        converter.fromConnectHeader(record.topic(), header.key(), header.schema(), header.value());
                headers.put(header.key(), new String(bytes, StandardCharsets.UTF_8));
            }
        }
        return headers;
    }
}
