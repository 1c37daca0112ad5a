package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The table of properties is made of the starter's metadata; {@code -Ddocs.update} writes it anew. */
class PropertiesPageTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", ".")).resolve("../..").normalize();
    private static final Path PAGE = ROOT.resolve("docs/spring-boot.md");
    private static final Pattern SETTING = Pattern.compile("(?m)(?:^|`)(outbox\\.(?!control|test\\.)[a-z][\\w.-]*)=");

    @Test
    void theTableOfPropertiesIsThatOfTheMetadata() throws IOException {
        Page.assertGenerated(PAGE, "properties", table());
    }

    /** As {@code outbox.mode=ordered}, in a block or in a sentence. Those of the control center are not all known here. */
    @Test
    void everyPropertyThatAPageSetsExists() throws IOException {
        Map<String, Map<String, Object>> properties = properties();
        for (Page page : Page.all(ROOT)) {
            assertThat(SETTING.matcher(page.text()).results().map(setting -> setting.group(1)))
                    .as("%s", page)
                    .allSatisfy(name -> assertThat(isKnown(name, properties))
                            .as("%s is a property of the starter", name)
                            .isTrue());
        }
    }

    private static boolean isKnown(String name, Map<String, Map<String, Object>> properties) {
        return properties.containsKey(name)
                || properties.entrySet().stream()
                        .anyMatch(property -> name.startsWith(property.getKey() + ".")
                                && String.valueOf(property.getValue().get("type"))
                                        .startsWith("java.util.Map"));
    }

    private static String table() throws IOException {
        StringBuilder table = new StringBuilder("| property | default | meaning |\n| --- | --- | --- |\n");
        properties()
                .forEach((name, property) -> table.append("| `")
                        .append(name)
                        .append("` | ")
                        .append(defaultOf(property))
                        .append(" | ")
                        .append(String.valueOf(property.get("description")).replace("|", "\\|"))
                        .append(" |\n"));
        return table.toString();
    }

    private static String defaultOf(Map<String, Object> property) {
        Object value = property.get("defaultValue");
        if (value == null || value instanceof List<?>) {
            return "";
        }
        return "`" + value + "`";
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> properties() throws IOException {
        Map<String, Map<String, Object>> found = new TreeMap<>();
        for (URL url : Collections.list(PropertiesPageTest.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = url.openStream()) {
                Map<String, Object> json =
                        JsonMapper.shared().readValue(new String(in.readAllBytes(), StandardCharsets.UTF_8), Map.class);
                for (Object entry : (List<Object>) json.get("properties")) {
                    Map<String, Object> property = (Map<String, Object>) entry;
                    String name = property.get("name").toString();
                    if (name.startsWith("outbox.")) {
                        found.put(name, property);
                    }
                }
            }
        }
        assertThat(found).isNotEmpty();
        return found;
    }
}
