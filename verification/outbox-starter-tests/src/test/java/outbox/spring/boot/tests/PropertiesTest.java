package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.unit.DataSize;
import outbox.EventEnvelope;
import outbox.OutboxBuilder;
import outbox.dispatch.OutboxDispatcher;
import outbox.domain.handler.HandlerOptions;
import outbox.idempotency.redis.RedisEventConsumptionTracker;
import outbox.jdbc.TableNames;
import outbox.kafka.KafkaPublisher;
import outbox.purge.OutboxPurgeScheduler;
import outbox.spring.boot.AlertProperties;
import outbox.spring.boot.CdcProperties;
import outbox.spring.boot.OutboxXxlJobProperties;
import outbox.spring.boot.idempotent.IdempotentHttpProperties;
import outbox.spring.boot.module.ContractsProperties;
import outbox.spring.boot.module.EncryptionProperties;
import outbox.spring.boot.module.KafkaRouteProperties;
import outbox.spring.boot.module.MessagingRouteProperties;
import outbox.spring.boot.module.PublishGuardProperties;
import outbox.spring.boot.module.RabbitRouteProperties;
import outbox.spring.boot.module.WebhookRouteProperties;
import outbox.spring.boot.properties.OutboxProperties;

/** Defaults are those of the builders, in the properties and in what editors show. */
class PropertiesTest {
    private static final List<Object> ALL = List.of(
            new OutboxProperties(),
            new KafkaRouteProperties(),
            new RabbitRouteProperties(),
            new WebhookRouteProperties(),
            new ContractsProperties(),
            new EncryptionProperties(),
            new PublishGuardProperties(),
            new IdempotentHttpProperties(),
            new CdcProperties(),
            new AlertProperties(),
            new MessagingRouteProperties(),
            new OutboxXxlJobProperties());

    private static Map<String, Map<String, Object>> metadata() throws IOException {
        return metadata("properties");
    }

    /** @param section of the metadata: properties or hints */
    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> metadata(String section) throws IOException {
        Map<String, Map<String, Object>> found = new TreeMap<>();
        for (URL url : Collections.list(
                PropertiesTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = url.openStream()) {
                Map<String, Object> json = JsonParserFactory.getJsonParser()
                        .parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                for (Object property : (List<Object>) json.getOrDefault(section, List.of())) {
                    Map<String, Object> entry = (Map<String, Object>) property;
                    if (entry.get("name").toString().startsWith("outbox.")) {
                        found.put(entry.get("name").toString(), entry);
                    }
                }
            }
        }
        return found;
    }

    @Test
    void everyPropertyIsDescribed() throws IOException {
        assertThat(metadata())
                .hasSizeGreaterThan(30)
                .allSatisfy((name, entry) -> assertThat(String.valueOf(entry.get("description")))
                        .as(name)
                        .hasSizeGreaterThan(15));
    }

    /** Where there is none, the description says what happens without a value. */
    @Test
    void everyPropertyHasADefault() throws IOException {
        assertThat(metadata()).allSatisfy((name, entry) -> {
            String type = String.valueOf(entry.get("type"));
            boolean several = type.startsWith("java.util.List") || type.startsWith("java.util.Map");
            boolean explained = Stream.of("Default:", "If not set", "If set", "Required", "used instead of")
                    .anyMatch(String.valueOf(entry.get("description"))::contains);
            assertThat(entry.get("defaultValue") != null || several || explained)
                    .as(name)
                    .isTrue();
        });
    }

    /** Editors then offer the beans of the application. Enums are offered without a hint. */
    @Test
    void propertiesThatNameABeanHintAtItsType() throws IOException {
        Map<String, Map<String, Object>> hints = metadata("hints");
        assertThat(metadata().values())
                .filteredOn(entry -> String.valueOf(entry.get("description")).startsWith("Name of the")
                        && String.valueOf(entry.get("description")).contains("bean"))
                .extracting(entry -> entry.get("name").toString())
                .contains("outbox.data-source", "outbox.transaction-manager", "outbox.messaging.channel")
                .allSatisfy(name -> assertThat(String.valueOf(hints.get(name)))
                        .as(name)
                        .contains("spring-bean-reference", "target="));
    }

    @Test
    void everyHintIsForAPropertyThatExists() throws IOException {
        Map<String, Map<String, Object>> properties = metadata();
        assertThat(metadata("hints").keySet())
                .hasSizeGreaterThan(10)
                .allSatisfy(hint -> assertThat(properties).containsKey(hint.replaceFirst("\\.keys$", "")));
    }

    /** Setting every property to its documented default must change nothing. */
    @Test
    void documentedDefaultsAreTheRealOnes() throws IOException {
        Map<String, Object> documented = new TreeMap<>();
        metadata().forEach((name, entry) -> {
            if (entry.get("defaultValue") != null) {
                documented.put(name, entry.get("defaultValue"));
            }
        });
        assertThat(documented).containsKeys("outbox.dispatch.lease-time", "outbox.poll.batch-size", "outbox.mode");
        Binder binder = new Binder(new MapConfigurationPropertySource(documented));
        for (Object defaults : ALL) {
            String prefix = defaults.getClass()
                    .getAnnotation(ConfigurationProperties.class)
                    .value();
            Object bound = binder.bindOrCreate(prefix, Bindable.of(defaults.getClass()));
            assertThat(bound).as(prefix).usingRecursiveComparison().isEqualTo(defaults);
        }
    }

    /** A property whose default is hidden in a constant says it by hand, or it would be missing in editors. */
    @Test
    void everyDefaultThatIsAConstantIsDocumented() throws IOException {
        Map<String, Map<String, Object>> metadata = metadata();
        assertThat(metadata.get("outbox.kafka.topic")).containsEntry("defaultValue", KafkaPublisher.DEFAULT_TOPIC);
        assertThat(metadata).allSatisfy((name, entry) -> {
            String type = String.valueOf(entry.get("type"));
            boolean scalar = type.equals("java.time.Duration")
                    || type.equals("java.lang.Long")
                    || type.equals("org.springframework.util.unit.DataSize");
            boolean optional = List.of(
                            "outbox.retry.base-delay",
                            "outbox.retry.max-delay",
                            "outbox.purge.dead-retention",
                            "outbox.dispatch.max-bytes-in-flight",
                            "outbox.kafka.time-limit",
                            "outbox.messaging.time-limit",
                            "outbox.rabbitmq.time-limit")
                    .contains(name);
            assertThat(scalar && !optional && entry.get("defaultValue") == null)
                    .as(name)
                    .isFalse();
        });
    }

    @Test
    void defaultsAreThoseOfTheBuilders() {
        OutboxProperties properties = new OutboxProperties();
        assertThat(properties.getTable()).isEqualTo(TableNames.DEFAULT_TABLE);
        assertThat(properties.getDispatch().getWorkers()).isEqualTo(OutboxDispatcher.DEFAULT_WORKER_COUNT);
        assertThat(properties.getDispatch().getLeaseTime()).isEqualTo(OutboxDispatcher.DEFAULT_LEASE_TIME);
        assertThat(properties.getDispatch().getTimeLimit()).isEqualTo(OutboxDispatcher.DEFAULT_TIME_LIMIT);
        assertThat(properties.getDispatch().getDrainTimeout())
                .isEqualTo(Duration.ofMillis(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS));
        assertThat(properties.getPoll().getInterval()).isEqualTo(OutboxBuilder.DEFAULT_POLL_INTERVAL);
        assertThat(properties.getPoll().getBatchSize()).isEqualTo(OutboxBuilder.DEFAULT_CLAIM_SIZE);
        assertThat(properties.getPurge().getRetention()).isEqualTo(OutboxPurgeScheduler.DEFAULT_RETENTION);
        assertThat(properties.getHandlers().getBreaker().getFailures())
                .isEqualTo(HandlerOptions.DEFAULT_BREAKER_FAILURES);
        assertThat(properties.getHandlers().getBreaker().getPause()).isEqualTo(HandlerOptions.DEFAULT_BREAKER_PAUSE);
        assertThat(properties.getRedis().getTtl()).isEqualTo(RedisEventConsumptionTracker.DEFAULT_TTL);
        assertThat(properties.getWrite().getMaxPayload()).isEqualTo(DataSize.ofBytes(EventEnvelope.MAX_PAYLOAD_BYTES));
    }
}
