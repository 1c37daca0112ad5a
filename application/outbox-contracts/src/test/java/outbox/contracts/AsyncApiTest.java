package outbox.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AsyncApiTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int run(String... args) {
        PrintStream out = new PrintStream(printed, true);
        return ContractTool.run(args, out, out);
    }

    private Path contracts(String name, String... files) throws IOException {
        Path path = Files.createDirectories(directory.resolve(name));
        for (int i = 0; i < files.length; i += 2) {
            Files.writeString(path.resolve(files[i]), files[i + 1]);
        }
        return path;
    }

    @Test
    void everyTypeIsAChannelAndEveryVersionAMessage() {
        JsonNode document = JsonMapper.shared()
                .readTree(new AsyncApi("Orders", "1.4.0")
                        .description("What happens to orders")
                        .address(type -> "outbox.event.Order")
                        .export(EventContracts.fromClasspath("contracts")));

        assertThat(document.at("/asyncapi").asString()).isEqualTo("3.0.0");
        assertThat(document.at("/info/version").asString()).isEqualTo("1.4.0");
        assertThat(document.at("/channels/order.placed/address").asString()).isEqualTo("outbox.event.Order");
        assertThat(document.at("/channels/order.placed/messages").propertyNames())
                .containsExactly("v1", "v2");
        assertThat(document.at("/operations/send.order.placed/action").asString())
                .isEqualTo("send");
        JsonNode message = document.at("/components/messages/order.placed.v1");
        assertThat(message.at("/name").asString()).isEqualTo("order.placed");
        assertThat(message.at("/summary").asString()).isEqualTo("A customer has placed an order.");
        assertThat(message.at("/headers/properties/eventVersion/const").asString())
                .isEqualTo("1");
        assertThat(references(document, document)).isEqualTo(7);
    }

    @Test
    void everyReferenceLeadsSomewhereAlsoWithOddNames() {
        EventContracts odd = EventContracts.builder()
                .add("Order/Placed #1", 1, "{\"properties\":{\"a\":{\"$ref\":\"#\"}}}")
                .add("Order/Placed ?1", 1, """
                        {"properties":{"a":{"$ref":"#money"}},"$defs":{"a/b":{"anyOf":[{"$anchor":"money"}]}}}""")
                .build();
        JsonNode document = JsonMapper.shared().readTree(new AsyncApi("t", "1").export(odd));
        assertThat(references(document, document)).isEqualTo(8);
        assertThat(document.at("/channels/Order-Placed--1/address").asString()).isEqualTo("Order/Placed #1");
        assertThat(document.at("/channels/Order-Placed--1-2/address").asString())
                .isEqualTo("Order/Placed ?1");
        assertThat(document.at("/components/schemas/Order-Placed--1-2.v1/properties/a/$ref")
                        .asString())
                .isEqualTo("#/components/schemas/Order-Placed--1-2.v1/$defs/a~1b/anyOf/0");
    }

    /** How many there are; each must be found in the document. */
    private static int references(JsonNode part, JsonNode document) {
        int count = 0;
        JsonNode reference = part.get("$ref");
        if (reference != null) {
            assertThat(reference.asString()).startsWith("#/");
            assertThat(document.at(reference.asString().substring(1)).isMissingNode())
                    .as(reference.asString())
                    .isFalse();
            count++;
        }
        for (JsonNode child : part) {
            count += references(child, document);
        }
        return count;
    }

    @Test
    void theToolComparesVersionsAndFailsTheBuild() throws IOException {
        Path good = contracts(
                "good", "e.v1.json", "{\"type\":\"integer\"}", "e.v2.json", "{\"type\":\"integer\",\"minimum\":1}");
        assertThat(run("versions", good.toString())).isZero();
        assertThat(printed.toString()).contains("2 contract(s), 0 change(s) break readers");

        Path bad = contracts("bad", "e.v1.json", "{\"type\":\"integer\"}", "e.v2.json", "{\"type\":\"string\"}");
        assertThat(run("versions", bad.toString())).isEqualTo(1);
        assertThat(printed.toString()).contains("e v1 -> e v2  /  was integer and may be string now");

        Path meant = contracts(
                "meant",
                "e.v1.json",
                "{\"type\":\"integer\"}",
                "e.v2.json",
                "{\"type\":\"string\",\"x-breaks-readers\":\"why\"}");
        assertThat(run("versions", meant.toString())).isZero();
        assertThat(printed.toString()).contains("0 change(s) break readers, 1 accepted");
        assertThat(run("releases", good.toString(), bad.toString())).isEqualTo(1);
        assertThat(run("releases", good.toString(), good.toString())).isZero();
    }

    @Test
    void theToolWritesTheDocument() throws IOException {
        Path good = contracts("good", "e.v1.json", "{\"type\":\"integer\"}");
        Path file = directory.resolve("asyncapi.json");
        assertThat(run("asyncapi", good.toString(), file.toString(), "Orders", "1.0"))
                .isZero();
        assertThat(JsonMapper.shared()
                        .readTree(Files.readString(file))
                        .at("/components/schemas/e.v1/type")
                        .asString())
                .isEqualTo("integer");
    }

    @Test
    void theToolSaysWhatItDoesNotUnderstand() throws IOException {
        assertThat(run("compare")).isEqualTo(2);
        assertThat(printed.toString()).contains("usage:");
        assertThat(run("versions", contracts("odd", "e.json", "{}").toString())).isEqualTo(2);
        assertThat(printed.toString()).contains("e.json");
    }
}
