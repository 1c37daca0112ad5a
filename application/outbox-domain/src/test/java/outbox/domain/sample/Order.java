package outbox.domain.sample;

import outbox.domain.AggregateRoot;

public class Order extends AggregateRoot {
    private final String id;

    public Order(String id) {
        this.id = id;
    }

    public String id() {
        return id;
    }

    public void place(long cents) {
        raise(new OrderPlaced(id, cents));
    }

    public void cancel() {
        raise(new OrderCancelled(id));
    }
}
