package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.jdbc.payload.FileObjectStore;
import outbox.jdbc.payload.ObjectStore;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.spring.boot.test.TestOutbox;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** Large payloads beside the event table, by properties. */
class LargePayloadsTest {
    private static final String LONG = "x".repeat(2000);

    @TempDir
    Path directory;

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void theTableIsCreatedAndTheHandlerGetsThePayload() {
        app(Mailer.class)
                .withPropertyValues(
                        "outbox.claim-check.enabled=true",
                        "outbox.claim-check.threshold=1KB",
                        "outbox.claim-check.sweep-interval=100ms")
                .run(context -> {
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    inTransaction(
                            context,
                            () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(LONG)));
                    await().until(() -> context.getBean(Mailer.class).mails.contains(LONG));
                    assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event_payload", Integer.class))
                            .isEqualTo(1);
                    assertThat(jdbc.queryForObject("SELECT CAST(payload AS VARCHAR) FROM outbox_event", String.class))
                            .contains("$outbox.reference");
                    assertThat(context.getBean(TestOutbox.class).events(OrderPlaced.class))
                            .extracting(OrderPlaced::orderId)
                            .containsExactly(LONG);

                    jdbc.update("DELETE FROM outbox_event");
                    await().until(() ->
                            0 == jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event_payload", Integer.class));
                });
    }

    @Test
    void payloadsGoToFilesAndAreEncryptedThereToo() {
        app(Mailer.class)
                .withPropertyValues(
                        "spring.application.name=shop",
                        "outbox.encryption.enabled=true",
                        "outbox.encryption.keys.2026=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
                        "outbox.claim-check.enabled=true",
                        "outbox.claim-check.threshold=1KB",
                        "outbox.claim-check.directory=" + directory)
                .run(context -> {
                    inTransaction(
                            context,
                            () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(LONG)));
                    await().until(() -> context.getBean(Mailer.class).mails.contains(LONG));
                    assertThat(files())
                            .singleElement()
                            .satisfies(file -> assertThat(
                                            Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1))
                                    .doesNotContain("xxxxx"));
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("SELECT CAST(payload AS VARCHAR) FROM outbox_event", String.class))
                            .contains("$outbox.sealed")
                            .doesNotContain("$outbox.reference");
                });
    }

    private ApplicationContextRunner twoOutboxes() {
        return app(Mailer.class)
                .withPropertyValues(
                        "outbox.schema.mode=always",
                        "outbox.claim-check.enabled=true",
                        "outbox.claim-check.threshold=1KB",
                        "outbox.instances.orders.data-source=dataSource",
                        "outbox.instances.billing.data-source=dataSource",
                        "outbox.instances.billing.table=billing_event",
                        "outbox.instances.billing.consumption-table=billing_consumption");
    }

    private static BeanDefinitionCustomizer qualified(String instance) {
        return definition -> ((AbstractBeanDefinition) definition)
                .addQualifier(new AutowireCandidateQualifier(Qualifier.class, instance));
    }

    @Test
    void anObjectStoreBelongsToOneOutbox() {
        twoOutboxes()
                .withBean("shared", ObjectStore.class, () -> new FileObjectStore(directory))
                .run(context -> assertThat(Apps.failureOf(context))
                        .isInstanceOf(RefusedSettingsException.class)
                        .hasMessageContaining("ObjectStore bean 'shared'")
                        .hasMessageContaining("not qualified"));
        twoOutboxes()
                .withBean("ordersObjects", ObjectStore.class, () -> new FileObjectStore(directory), qualified("orders"))
                .run(context -> {
                    for (String instance : List.of("billing", "orders")) {
                        inTransaction(
                                context,
                                () -> context.getBean(instance + "DomainEventPublisher", DomainEventPublisher.class)
                                        .publish(new OrderPlaced(LONG)));
                    }
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    assertThat(files()).hasSize(1);
                    assertThat(jdbc.queryForObject("SELECT location FROM outbox_event_payload", String.class))
                            .startsWith("files:");
                    assertThat(jdbc.queryForObject("SELECT location FROM billing_event_payload", String.class))
                            .isNull();
                });
    }

    @Test
    void settingsThatLeadNowhereFailTheStart() {
        app(Mailer.class)
                .withPropertyValues("outbox.claim-check.directory=" + directory)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.claim-check.directory is set")
                        .hasMessageContaining("outbox.claim-check.enabled is false"));
        app(Mailer.class)
                .withPropertyValues("outbox.claim-check.enabled=true", "outbox.claim-check.threshold=2MB")
                .run(context ->
                        assertThat(Apps.failureOf(context)).hasMessageContaining("outbox.claim-check.threshold"));
        app(Mailer.class)
                .withPropertyValues("outbox.claim-check.enabled=true", "outbox.schema.mode=validate")
                .run(context -> assertThat(Apps.failureOf(context)).hasMessageContaining("outbox_event_payload"));
    }
}
