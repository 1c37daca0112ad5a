package outbox.domain.sample;

import outbox.domain.BaseDomainEvent;

/** An event as a class, without a name of its own. */
public class PaymentTaken extends BaseDomainEvent {
    private String paymentId = "";

    protected PaymentTaken() {}

    public PaymentTaken(String paymentId) {
        this.paymentId = paymentId;
    }

    public String getPaymentId() {
        return paymentId;
    }

    protected void setPaymentId(String paymentId) {
        this.paymentId = paymentId;
    }
}
