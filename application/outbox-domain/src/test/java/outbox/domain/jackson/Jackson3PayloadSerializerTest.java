package outbox.domain.jackson;

import outbox.domain.type.PayloadSerializer;
import outbox.domain.type.Upcaster;

class Jackson3PayloadSerializerTest extends PayloadSerializerContract {
    private final Jackson3PayloadSerializer serializer = new Jackson3PayloadSerializer();

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
