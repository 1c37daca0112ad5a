package outbox.domain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.domain.sample.OrderCancelled;
import outbox.domain.sample.OrderPlaced;
import outbox.domain.sample.PaymentTaken;

class DomainEventTest {
    @Test
    void anEventKnowsTheVersionOfItsNameAndIsVersionOneWithout() {
        assertThat(new OrderPlaced("42", 100).version()).isEqualTo(2);
        assertThat(new OrderCancelled("42").version()).isEqualTo(1);
        assertThat(new PaymentTaken("p").version()).isEqualTo(1);
    }

    @Test
    void anEventAsAClassGetsItsIdAndTimeWhenItIsMade() {
        PaymentTaken one = new PaymentTaken("p");
        PaymentTaken other = new PaymentTaken("p");

        assertThat(one.eventId()).hasSize(26).isNotEqualTo(other.eventId());
        assertThat(one.occurredAt()).isNotNull();
        assertThat(one).hasToString("PaymentTaken[" + one.eventId() + "]");
    }
}
