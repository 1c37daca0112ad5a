package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.OutboxWriter;
import outbox.domain.DomainEventPublisher;
import outbox.spi.EventSeal;
import outbox.spring.boot.test.TestOutbox;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** Payloads are encrypted and held to contracts where the modules are there. */
class SealsAndContractsTest {
    @TempDir
    Path directory;

    private static String key() {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    @Test
    void theTableHoldsCipherTextAndTheHandlerGetsTheEvent() throws IOException {
        Path file = Files.writeString(directory.resolve("key"), key() + "\n");
        app(Mailer.class)
                .withPropertyValues(
                        "spring.application.name=shop",
                        "outbox.encryption.enabled=true",
                        "outbox.encryption.keys.2025=" + key(),
                        "outbox.encryption.keys.2026=file:" + file,
                        "outbox.encryption.current-key=2026",
                        "outbox.encryption.event-types=order.*")
                .run(context -> {
                    inTransaction(
                            context,
                            () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("secret-42")));
                    await().until(() -> !context.getBean(Mailer.class).mails.isEmpty());
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("secret-42");
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("SELECT CAST(payload AS VARCHAR) FROM outbox_event", String.class))
                            .contains("$outbox.sealed")
                            .contains("v1.2026.")
                            .doesNotContain("secret-42");
                    assertThat(context.getBean(TestOutbox.class).events(OrderPlaced.class))
                            .extracting(OrderPlaced::orderId)
                            .containsExactly("secret-42");
                });
    }

    /** Rather no start than events in clear. */
    @Test
    void encryptionWithoutAKeyDoesNotStart() {
        app(Mailer.class)
                .withPropertyValues("outbox.encryption.enabled=true", "spring.application.name=shop")
                .run(context ->
                        assertThat(Apps.failureOf(context)).hasMessageContaining("Set outbox.encryption.keys.<id>"));
        app(Mailer.class)
                .withPropertyValues("outbox.encryption.enabled=true", "outbox.encryption.keys.a=" + key())
                .run(context -> assertThat(Apps.failureOf(context)).hasMessageContaining("spring.application.name"));
    }

    @Test
    void withTwoSealsTheStartFailsRatherThanWritingInClear() {
        app(Mailer.class)
                .withBean("first", EventSeal.class, () -> EventSeal.NONE)
                .withBean("second", EventSeal.class, () -> EventSeal.NONE)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("several EventSeal beans, [first, second]"));
    }

    @Test
    void anEventThatBreaksItsContractIsNotWritten() throws IOException {
        Files.writeString(directory.resolve("order.paid.v1.json"), """
                {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}}""");
        app(Mailer.class)
                .withPropertyValues(
                        "outbox.contracts.enabled=true",
                        "outbox.contracts.location=file:" + directory,
                        "outbox.contracts.refuse-unknown=true")
                .run(context -> {
                    OutboxWriter writer = context.getBean(OutboxWriter.class);
                    inTransaction(context, () -> writer.write("order.paid", "{\"amount\":1}"));
                    assertThatThrownBy(() -> inTransaction(context, () -> writer.write("order.paid", "{}")))
                            .hasMessageContaining("order.paid")
                            .hasMessageContaining("amount");
                    assertThatThrownBy(() -> inTransaction(context, () -> writer.write("order.odd", "{}")))
                            .hasMessageContaining("order.odd");
                });
        app(Mailer.class)
                .withPropertyValues(
                        "outbox.contracts.enabled=true",
                        "outbox.contracts.location=file:" + directory,
                        "outbox.contracts.on-violation=warn")
                .run(context -> {
                    inTransaction(
                            context, () -> context.getBean(OutboxWriter.class).write("order.paid", "{}"));
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                            .isEqualTo(1);
                });
    }

    @Test
    void noContractsAtAllAreAMistake() {
        app(Mailer.class)
                .withPropertyValues("outbox.contracts.enabled=true")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("there is no contract in classpath:contracts"));
    }
}
