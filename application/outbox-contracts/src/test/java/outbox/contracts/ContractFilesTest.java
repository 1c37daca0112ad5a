package outbox.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContractFilesTest {
    @TempDir
    Path directory;

    @Test
    void aFileIsAContractOfTheTypeAndVersionInItsName() throws IOException {
        Files.writeString(directory.resolve("order.placed.v1.json"), "{}");
        Files.writeString(directory.resolve("order.placed.v12.json"), "{}");
        Files.writeString(directory.resolve("a.v2.v3.json"), "{}");
        EventContracts contracts = EventContracts.fromDirectory(directory);
        assertThat(contracts.all())
                .extracting(EventContract::toString)
                .containsExactly("a.v2 v3", "order.placed v1", "order.placed v12");
        assertThat(contracts.eventTypes()).containsExactly("a.v2", "order.placed");
        assertThat(contracts.find("order.placed", 2)).isNull();
        assertThat(contracts.versionsOf("x")).isEmpty();
    }

    @Test
    void aDirectoryInAJarIsFoundToo() throws IOException {
        Path jar = directory.resolve("contracts.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry("events/"));
            out.putNextEntry(new JarEntry("events/user.moved.v1.json"));
            out.write("{\"type\":\"object\"}".getBytes());
        }
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
            assertThat(EventContracts.fromClasspath("events", loader).eventTypes())
                    .containsExactly("user.moved");
            assertThat(EventContracts.fromClasspath("events", loader).eventTypes())
                    .containsExactly("user.moved");
            assertThatThrownBy(() -> EventContracts.fromClasspath("nowhere", loader))
                    .hasMessageContaining("nowhere");
        }
    }

    @Test
    void whatIsNamedOtherwiseIsRefusedRatherThanOverlooked() throws IOException {
        Files.writeString(directory.resolve("order.placed.json"), "{}");
        assertThatThrownBy(() -> EventContracts.fromDirectory(directory))
                .isInstanceOf(InvalidContractException.class)
                .hasMessageContaining("order.placed.json")
                .hasMessageContaining("order.placed.v1.json");
        assertThatThrownBy(() -> EventContracts.fromDirectory(directory.resolve("gone")))
                .hasMessageContaining("gone");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "not json | not JSON",
                "[] | not an object",
                "{\"type\":\"strin\"} | not a valid JSON Schema",
                "{\"minimum\":\"1\"} | not a valid JSON Schema",
                "{\"$ref\":\"https://example.com/x.json\"} | self-contained",
                "{\"properties\":{\"a\":{\"$ref\":\"other.json#/a\"}}} | other.json",
                "{\"$schema\":\"https://example.com/mine\"} | is not supported",
                "{\"$id\":\"relative\"} | relative",
                "{\"properties\":{\"a\":{\"pattern\":\"[\"}}} | not a valid JSON Schema",
                "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/gone\"}}} | gone",
                "{\"properties\":{\"a\":{\"$ref\":\"#gone\"}}} | gone",
                "{\"$ref\":\"#\"} | circular",
                "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}},\"$ref\":\"#/$defs/a\"} | circular",
            })
    void whatIsNoContractIsRefusedWithItsName(String schema, String reason) {
        assertThatThrownBy(() -> EventContracts.builder().add("e", 1, schema))
                .isInstanceOf(InvalidContractException.class)
                .hasMessageContaining("e v1")
                .hasMessageContaining(reason);
    }

    @Test
    void aTreeMayReferToItself() {
        EventContracts contracts = EventContracts.builder()
                .add("e", 1, "{\"type\":\"object\",\"properties\":{\"children\":{\"items\":{\"$ref\":\"#\"}}}}")
                .build();
        EventContract contract = contracts.versionsOf("e").get(0);
        assertThat(contract.problemsOf("{\"children\":[{\"children\":[{}]}]}")).isEmpty();
        assertThat(contract.problemsOf("{\"children\":[{\"children\":[1]}]}")).hasSize(1);
    }

    @Test
    void aFileThatIsNotTextIsRefusedByNameAndIsNoBrokenPromise() throws IOException {
        Files.write(directory.resolve("order.placed.v1.json"), new byte[] {'{', (byte) 0xff, '}'});
        assertThatThrownBy(() -> EventContracts.fromDirectory(directory))
                .isInstanceOf(InvalidContractException.class)
                .hasMessageContaining("order.placed.v1.json");
        assertThat(ContractTool.run(new String[] {"versions", directory.toString()}, System.out, System.err))
                .isEqualTo(2);
    }

    @Test
    void oneVersionHasOneContract() {
        EventContracts.Builder builder = EventContracts.builder().add("e", 1, "{}");
        assertThatThrownBy(() -> builder.add("e", 1, "{}")).hasMessageContaining("two contracts for e v1");
        assertThatThrownBy(() -> builder.add("e", 0, "{}")).hasMessageContaining("begin with 1");
    }
}
