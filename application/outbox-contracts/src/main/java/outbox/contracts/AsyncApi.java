package outbox.contracts;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
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

    /** The address of events of a type: a topic, an exchange, a URL. Default: the event type. */
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
            String key = key(type, channels);
            ObjectNode channel = channels.putObject(key).put("address", address.apply(type));
            ObjectNode channelMessages = channel.putObject("messages");
            operations.putObject("send." + key).put("action", "send").set("channel", reference("#/channels/" + key));
            for (EventContract contract : contracts.versionsOf(type)) {
                String name = key + ".v" + contract.version();
                channelMessages.set("v" + contract.version(), reference("#/components/messages/" + name));
                JsonNode node = contract.node();
                messages.set(name, message(contract, node, name));
                if (node != null) {
                    schemas.set(name, schema(node, "#/components/schemas/" + name));
                }
            }
        }
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(document);
    }

    /** @param node {@code null} for a contract in another language, whose schema the document does not have */
    private static ObjectNode message(EventContract contract, @Nullable JsonNode node, String name) {
        ObjectNode message = NODES.objectNode()
                .put("name", contract.eventType())
                .put("contentType", contract.schema().contentType());
        if (node != null) {
            copyText(node, "title", message, "title");
            copyText(node, "description", message, "summary");
        }
        ObjectNode headers = message.putObject("headers").put("type", "object");
        headers.putObject("properties")
                .putObject(EventContracts.VERSION_HEADER)
                .put("type", "string")
                .put("const", Integer.toString(contract.version()));
        if (node != null) {
            message.set("payload", reference("#/components/schemas/" + name));
        }
        return message;
    }

    private static void copyText(JsonNode from, String name, ObjectNode to, String as) {
        JsonNode text = from.get(name);
        if (text != null && text.isString()) {
            to.put(as, text.asString());
        }
    }

    /** {@code #} refers to the whole document, so references are adapted to the new location of the schema. */
    private static JsonNode schema(JsonNode node, String place) {
        ObjectNode copy = (ObjectNode) node.deepCopy();
        copy.remove("$id");
        Map<String, String> anchors = new HashMap<>();
        findAnchors(copy, place, anchors);
        moveReferences(copy, place, anchors);
        return copy;
    }

    /** AsyncAPI does not support anchors; they are replaced with JSON pointers. */
    private static void findAnchors(JsonNode part, String place, Map<String, String> anchors) {
        JsonNode anchor = part.get("$anchor");
        if (anchor != null && anchor.isString()) {
            anchors.put("#" + anchor.asString(), place);
        }
        part.properties()
                .forEach(child -> findAnchors(child.getValue(), place + "/" + escaped(child.getKey()), anchors));
        if (part.isArray()) {
            for (int i = 0; i < part.size(); i++) {
                findAnchors(part.get(i), place + "/" + i, anchors);
            }
        }
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    private static void moveReferences(JsonNode part, String place, Map<String, String> anchors) {
        JsonNode reference = part.get("$ref");
        if (reference != null && reference.isString()) {
            String target = reference.asString();
            ((ObjectNode) part).put("$ref", anchors.getOrDefault(target, place + target.substring(1)));
        }
        part.forEach(child -> moveReferences(child, place, anchors));
    }

    private static ObjectNode reference(String target) {
        return NODES.objectNode().put("$ref", target);
    }

    /** Component keys allow few characters; a number is added on collision. */
    private static String key(String eventType, ObjectNode taken) {
        String key = eventType.replaceAll("[^A-Za-z0-9._-]", "-");
        String free = key;
        for (int number = 2; taken.has(free); number++) {
            free = key + "-" + number;
        }
        return free;
    }
}
