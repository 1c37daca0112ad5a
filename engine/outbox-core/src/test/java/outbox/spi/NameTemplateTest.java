package outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;

class NameTemplateTest {
    private static final EventEnvelope EVENT = EventEnvelope.builder("order.placed")
            .aggregateType("Order")
            .aggregateId("42")
            .tenantId("acme")
            .payloadJson("{}")
            .build();

    @Test
    void fieldsOfTheEventTakeTheirPlaces() {
        assertThat(new NameTemplate("outbox.event.{aggregateType}").nameFor(EVENT))
                .isEqualTo("outbox.event.Order");
        assertThat(new NameTemplate("{tenantId}-{eventType}/{aggregateId}$").nameFor(EVENT))
                .isEqualTo("acme-order.placed/42$");
        assertThat(new NameTemplate("fixed").nameFor(EVENT)).isEqualTo("fixed");
    }

    @Test
    void aMissingFieldMakesNoName() {
        EventEnvelope bare = EventEnvelope.ofJson("x", "{}");
        assertThat(new NameTemplate("a.{tenantId}").nameFor(bare)).isNull();
        assertThat(new NameTemplate("a.{aggregateType}").nameFor(bare)).isEqualTo("a.__GLOBAL__");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a.{type}", "a.{}", "a.{aggregateType", "a}", "{{eventType}}"})
    void whatIsNoTemplateIsRefused(String text) {
        assertThatThrownBy(() -> new NameTemplate(text)).isInstanceOf(IllegalArgumentException.class);
    }

    /** It may be what Spring left of a placeholder, or a template written for an earlier version. */
    @Test
    void aDollarBeforeTheBraceIsRefusedWithTheFormThatWorks() {
        assertThatThrownBy(() -> new NameTemplate("outbox.event.${aggregateType}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write fields of the event without the $: {aggregateType}");
    }
}
