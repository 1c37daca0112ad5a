package outbox.contracts;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import tools.jackson.databind.JsonNode;

/** A JSON Schema as one of the languages of contracts. Immutable. */
record JsonContract(JsonNode node, Function<String, List<String>> check) implements ContractSchema {
    @Override
    public String contentType() {
        return "application/json";
    }

    @Override
    public List<String> problemsOf(EventEnvelope event) {
        return event.payloadForm() == PayloadForm.BYTES
                ? List.of("it has a binary payload, but its contract is for JSON")
                : check.apply(Objects.requireNonNull(event.payloadJson()));
    }

    @Override
    public void compare(ContractSchema next, BiConsumer<String, String> change) {
        if (next instanceof JsonContract now) {
            new SchemaDifference(node, now.node, change).run();
        } else {
            change.accept("/", "it is no longer JSON: readers do not understand the bytes");
        }
    }

    @Override
    public String accepted() {
        JsonNode reason = node.get(BreakingChange.ACCEPTED);
        return reason != null && reason.isString() ? reason.asString() : "";
    }
}
