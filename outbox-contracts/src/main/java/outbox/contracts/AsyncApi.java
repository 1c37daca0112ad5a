package outbox.contracts;

import java.util.Objects;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes an AsyncAPI 3.0 document of all known events: a channel for each type, a message for each of its versions, with
 * its schema. Not thread-safe.
 *
 * <pre>{@code
 * String json = new AsyncApi("Orders", "1.4.0").address(contract -> "outbox.event.Order").export(contracts);
 * }</pre>
 */
public final class AsyncApi {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final String title;
    private final String version;
    private String description = "";
    private Function<String, String> address = eventType -> eventType;

    /** @param version of the document, not of AsyncAPI */
    public AsyncApi(String title, String version) {
        this.title = Objects.requireNonNull(title, "title");
        this.version = Objects.requireNonNull(version, "version");
    }

    public AsyncApi description(String description) {
        this.description = Objects.requireNonNull(description, "description");
        return this;
    }

    /** Where events of a type go: a topic, an exchange, a URL. Default: the event type. */
    public AsyncApi address(Function<String, String> addressOfType) {
        this.address = Objects.requireNonNull(addressOfType, "addressOfType");
        return this;
    }

    /** @return the document as JSON */
    public String export(EventContracts contracts) {
        ObjectNode document = NODES.objectNode();
        document.put("asyncapi", "3.0.0");
        ObjectNode info = document.putObject("info").put("title", title).put("version", version);
        if (!description.isEmpty()) {
            info.put("description", description);
        }
        document.put("defaultContentType", "application/json");
        ObjectNode channels = document.putObject("channels");
        ObjectNode operations = document.putObject("operations");
        ObjectNode components = document.putObject("components");
        ObjectNode messages = components.putObject("messages");
        ObjectNode schemas = components.putObject("schemas");
        for (String type : contracts.eventTypes()) {
            channels.set(key(type), channel(type, contracts));
            operations.set("send." + key(type), operation(type));
            for (EventContract contract : contracts.versionsOf(type)) {
                messages.set(key(contract), message(contract));
                schemas.set(key(contract), schema(contract));
            }
        }
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(document);
    }

    private ObjectNode channel(String type, EventContracts contracts) {
        ObjectNode channel = NODES.objectNode().put("address", address.apply(type));
        ObjectNode messages = channel.putObject("messages");
        contracts
                .versionsOf(type)
                .forEach(contract ->
                        messages.set("v" + contract.version(), reference("#/components/messages/" + key(contract))));
        return channel;
    }

    private static ObjectNode operation(String type) {
        ObjectNode operation = NODES.objectNode().put("action", "send");
        operation.set("channel", reference("#/channels/" + key(type)));
        return operation;
    }

    private static ObjectNode message(EventContract contract) {
        ObjectNode message =
                NODES.objectNode().put("name", contract.eventType()).put("contentType", "application/json");
        copyText(contract.node(), "title", message, "title");
        copyText(contract.node(), "description", message, "summary");
        ObjectNode headers = message.putObject("headers").put("type", "object");
        headers.putObject("properties")
                .putObject(EventContracts.VERSION_HEADER)
                .put("type", "string")
                .put("const", Integer.toString(contract.version()));
        message.set("payload", reference("#/components/schemas/" + key(contract)));
        return message;
    }

    private static void copyText(JsonNode from, String name, ObjectNode to, String as) {
        JsonNode text = from.get(name);
        if (text != null && text.isString()) {
            to.put(as, text.asString());
        }
    }

    /** In the document, {@code #} is the document: references are moved along with the schema. */
    private static JsonNode schema(EventContract contract) {
        JsonNode copy = contract.node().deepCopy();
        ((ObjectNode) copy).remove("$id");
        moveReferences(copy, "#/components/schemas/" + key(contract));
        return copy;
    }

    private static void moveReferences(JsonNode part, String root) {
        if (part instanceof ObjectNode object) {
            JsonNode reference = object.get("$ref");
            if (reference != null && reference.isString()) {
                String target = reference.asString();
                if (target.equals("#") || target.startsWith("#/")) {
                    object.put("$ref", root + target.substring(1));
                }
            }
            object.forEach(child -> moveReferences(child, root));
        } else if (part instanceof ArrayNode array) {
            array.forEach(child -> moveReferences(child, root));
        }
    }

    private static ObjectNode reference(String target) {
        return NODES.objectNode().put("$ref", target);
    }

    private static String key(EventContract contract) {
        return key(contract.eventType()) + ".v" + contract.version();
    }

    /** Keys of components have few characters. */
    private static String key(String eventType) {
        return eventType.replaceAll("[^A-Za-z0-9._-]", "-");
    }
}
