package outbox.domain.jackson;

import outbox.domain.type.PayloadSerializer;
import outbox.domain.type.Upcaster;

class Jackson2PayloadSerializerTest extends PayloadSerializerContract {
    private final Jackson2PayloadSerializer serializer = new Jackson2PayloadSerializer();

    @Override
    PayloadSerializer serializer() {
        return serializer;
    }

    @Override
    Upcaster amountToCents() {
        return serializer.upcaster(
                "order.placed",
                1,
                json -> json.put("cents", json.remove("amount").asLong() * 100));
    }
}
