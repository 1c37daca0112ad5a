package outbox.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The files of {@code operations/deploy}. */
final class DeployFiles {
    static final Path ROOT = Path.of(System.getProperty("basedir", "."))
            .toAbsolutePath()
            .resolve("../..")
            .normalize();
    static final Path DIRECTORY = ROOT.resolve("operations/deploy");
    static final Path DOCKERFILE = DIRECTORY.resolve("Dockerfile");
    static final Path COMPOSE = DIRECTORY.resolve("compose.yaml");
    static final Path KUBERNETES = DIRECTORY.resolve("kubernetes");

    /** What becomes an image, by the name of the image. */
    static final Map<String, String> MODULES = Map.of(
            "outbox-control-center", "operations/outbox-control-center-server", "outbox-shop", "samples/outbox-shop");

    private DeployFiles() {}

    static List<Map<String, Object>> documents(Path file) throws IOException {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        List<Map<String, Object>> documents = new ArrayList<>();
        for (Object document : new Yaml(new SafeConstructor(options)).loadAll(Files.readString(file))) {
            documents.add(map(document));
        }
        return documents;
    }

    /** The documents of all resources that the kustomization names. */
    static List<Map<String, Object>> resources() throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Object name : (List<?>) kustomization().get("resources")) {
            all.addAll(documents(KUBERNETES.resolve((String) name)));
        }
        return all;
    }

    static Map<String, Object> kustomization() throws IOException {
        return documents(KUBERNETES.resolve("kustomization.yaml")).get(0);
    }

    /** The environment that the Dockerfile gives to the program. */
    static Map<String, String> imageEnvironment() throws IOException {
        String text = Files.readString(DOCKERFILE).replace("\\\n", " ");
        Map<String, String> environment = new TreeMap<>();
        Pattern.compile("(?m)^ENV (.*)$")
                .matcher(text)
                .results()
                .flatMap(line -> Pattern.compile("([A-Z_]+)=(\"[^\"]*\"|\\S+)")
                        .matcher(line.group(1))
                        .results())
                .forEach(variable -> environment.put(variable.group(1), variable.group(2)));
        return environment;
    }

    /** The settings that a program brings along. */
    static Properties settings(String image) throws IOException {
        Properties settings = new Properties();
        Path file = ROOT.resolve(MODULES.get(image)).resolve("src/main/resources/application.properties");
        try (var reader = Files.newBufferedReader(file)) {
            settings.load(reader);
        }
        return settings;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
