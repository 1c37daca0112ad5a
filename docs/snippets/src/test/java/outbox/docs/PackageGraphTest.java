package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The graph of packages on the page about architecture is made of the classes; {@code -Ddocs.update} writes it anew. */
class PackageGraphTest {
    private static final Path PAGE = Path.of(System.getProperty("basedir", "."))
            .resolve("../..")
            .normalize()
            .resolve("docs/architecture.md");

    /** Packages of the engine and of the application folder. */
    private static final List<String> ROOTS = List.of(
            "outbox",
            "outbox.dead",
            "outbox.dispatch",
            "outbox.fleet",
            "outbox.listener",
            "outbox.model",
            "outbox.poller",
            "outbox.purge",
            "outbox.registry",
            "outbox.spi",
            "outbox.util",
            "outbox.jdbc",
            "outbox.cdc",
            "outbox.micrometer",
            "outbox.domain",
            "outbox.idempotency",
            "outbox.inbox",
            "outbox.contracts",
            "outbox.encryption");
    /** What the composer puts together, and nobody else in its package knows. */
    private static final Set<String> COMPOSED =
            Set.of("outbox.dead", "outbox.dispatch", "outbox.poller", "outbox.purge", "outbox.registry");

    private static final String API = "outbox (API)";
    private static final String WRITER = "outbox (writer)";
    private static final String COMPOSER = "outbox (composer)";

    private static final Map<String, JavaClass> TOP_LEVEL = new TreeMap<>();
    private static final Map<String, Set<String>> USES = new TreeMap<>();

    @BeforeAll
    static void readClasses() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("outbox");
        for (JavaClass each : classes) {
            if (isOurs(each.getPackageName())) {
                TOP_LEVEL.putIfAbsent(top(each).getName(), top(each));
            }
        }
        Map<String, String> slices = slices(classes);
        for (JavaClass each : classes) {
            String slice = slices.get(top(each).getName());
            if (slice == null) {
                continue;
            }
            Set<String> used = USES.computeIfAbsent(slice, name -> new TreeSet<>());
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                String other = slices.get(top(dependency.getTargetClass()).getName());
                if (other != null && !other.equals(slice)) {
                    used.add(other);
                }
            }
        }
    }

    private static boolean isOurs(String packageName) {
        return ROOTS.stream()
                .anyMatch(root ->
                        packageName.equals(root) || (!root.equals("outbox") && packageName.startsWith(root + ".")));
    }

    private static JavaClass top(JavaClass each) {
        JavaClass outer = each.getBaseComponentType();
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return outer;
    }

    /** See docs/decisions/package-slices.md for why two packages are cut. */
    private static Map<String, String> slices(JavaClasses classes) {
        Map<String, String> slices = new TreeMap<>();
        TOP_LEVEL.forEach((name, type) -> slices.put(name, type.getPackageName()));
        TOP_LEVEL.values().stream()
                .filter(type -> type.getSimpleName().endsWith("RetryPolicy")
                        && type.getPackageName().equals("outbox.dispatch"))
                .forEach(type -> slices.put(type.getName(), "outbox.dispatch (retry)"));
        Set<String> api = slices.entrySet().stream()
                .filter(entry -> entry.getValue().equals("outbox"))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> composer = closure(api, COMPOSED, classes, slices);
        api.removeAll(composer);
        Set<String> writer = closure(api, Set.of("outbox.spi"), classes, slices);
        api.removeAll(writer);
        composer.forEach(name -> slices.put(name, COMPOSER));
        writer.forEach(name -> slices.put(name, WRITER));
        api.forEach(name -> slices.put(name, API));
        return slices;
    }

    /** Those of the candidates that use these packages, themselves or through other candidates. */
    private static Set<String> closure(
            Set<String> candidates, Set<String> packages, JavaClasses classes, Map<String, String> slices) {
        Set<String> found = new TreeSet<>();
        boolean grown = true;
        while (grown) {
            grown = false;
            for (JavaClass each : classes) {
                String name = top(each).getName();
                if (candidates.contains(name)
                        && !found.contains(name)
                        && each.getDirectDependenciesFromSelf().stream()
                                .map(dependency ->
                                        top(dependency.getTargetClass()).getName())
                                .anyMatch(used -> found.contains(used)
                                        || (!used.equals(name) && packages.contains(slices.getOrDefault(used, ""))))) {
                    grown = found.add(name);
                }
            }
        }
        return found;
    }

    @Test
    void thePackagesHaveNoCycle() {
        assertThat(layers().stream().flatMap(List::stream))
                .as("what is left is a cycle")
                .containsExactlyInAnyOrderElementsOf(USES.keySet());
    }

    @Test
    void theGraphOnThePageIsThatOfTheClasses() throws IOException {
        Page.assertGenerated(PAGE, "packages", table());
    }

    /** Each uses only those of layers before it. */
    private static List<List<String>> layers() {
        List<List<String>> layers = new ArrayList<>();
        Set<String> placed = new TreeSet<>();
        List<String> next;
        do {
            next = USES.keySet().stream()
                    .filter(slice -> !placed.contains(slice) && placed.containsAll(USES.get(slice)))
                    .toList();
            placed.addAll(next);
            layers.add(next);
        } while (!next.isEmpty());
        return layers;
    }

    private static String table() {
        StringBuilder table = new StringBuilder("| layer | package | uses |\n| ---: | --- | --- |\n");
        List<List<String>> layers = layers();
        for (int layer = 0; layer < layers.size(); layer++) {
            for (String slice : layers.get(layer)) {
                table.append("| ")
                        .append(layer)
                        .append(" | `")
                        .append(slice)
                        .append("` | ")
                        .append(USES.get(slice).stream()
                                .map(used -> "`" + used + "`")
                                .collect(Collectors.joining(", ")))
                        .append(" |\n");
            }
        }
        return table.toString();
    }
}
