package outbox.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Who may know whom in the core. A slice is a package, with two exceptions that the specification imposes: the package
 * {@code outbox} holds three slices, {@code dispatch} two, see {@code docs/decisions/package-slices.md}.
 */
class DependencyOrderTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("outbox");

    /** From the bottom to the top. */
    private enum Slice {
        UTIL,
        MODEL,
        /** Events, listeners, hooks: what a user writes against. */
        API,
        SPI,
        WRITER,
        REGISTRY,
        PURGE,
        DEAD,
        POLLER,
        /** Of the package dispatch, what the specification puts there and a listener's rules are made of. */
        RETRY,
        LISTENER,
        DISPATCH,
        COMPOSER,
        FLEET;

        private static final Set<String> RETRY_CLASSES = Set.of("RetryPolicy", "ExponentialBackoffRetryPolicy");

        private static final Set<String> WRITER_CLASSES = Set.of("OutboxWriter");
        private static final Set<String> COMPOSER_CLASSES = Set.of(
                "Outbox", "OutboxBuilder", "Engine", "OutboxRelay", "RelayHandler", "HookChain", "ManagedOutbox");

        static Slice of(JavaClass type) {
            String[] names = type.getPackageName().split("\\.");
            if (names.length == 1) {
                return inRootPackage(type);
            }
            boolean retry = names[1].equals("dispatch") && RETRY_CLASSES.contains(type.getSimpleName());
            return retry ? RETRY : valueOf(names[1].toUpperCase());
        }

        private static Slice inRootPackage(JavaClass type) {
            String topLevel = type.getName().replaceFirst("^outbox\\.", "").replaceFirst("\\$.*", "");
            if (WRITER_CLASSES.contains(topLevel)) {
                return WRITER;
            }
            return COMPOSER_CLASSES.contains(topLevel) ? COMPOSER : API;
        }
    }

    private static final Map<Slice, Set<Slice>> MAY_USE = new EnumMap<>(Map.ofEntries(
            Map.entry(Slice.UTIL, Set.of()),
            Map.entry(Slice.MODEL, Set.of(Slice.UTIL)),
            Map.entry(Slice.API, Set.of(Slice.UTIL, Slice.MODEL)),
            Map.entry(Slice.SPI, upTo(Slice.API)),
            Map.entry(Slice.WRITER, upTo(Slice.SPI)),
            Map.entry(Slice.REGISTRY, upTo(Slice.SPI)),
            Map.entry(Slice.PURGE, upTo(Slice.SPI)),
            Map.entry(Slice.DEAD, with(upTo(Slice.SPI), Slice.REGISTRY)),
            Map.entry(Slice.POLLER, upTo(Slice.SPI)),
            Map.entry(Slice.DISPATCH, with(upTo(Slice.SPI), Slice.REGISTRY, Slice.POLLER, Slice.RETRY, Slice.LISTENER)),
            Map.entry(Slice.RETRY, Set.of()),
            Map.entry(Slice.LISTENER, with(upTo(Slice.SPI), Slice.RETRY)),
            Map.entry(Slice.COMPOSER, upTo(Slice.DISPATCH)),
            Map.entry(Slice.FLEET, upTo(Slice.COMPOSER))));

    private static Set<Slice> upTo(Slice top) {
        return Arrays.stream(Slice.values())
                .filter(slice -> slice.ordinal() <= top.ordinal())
                .collect(Collectors.toSet());
    }

    private static Set<Slice> with(Set<Slice> slices, Slice... more) {
        slices.addAll(Set.of(more));
        return slices;
    }

    @Test
    void everyPackageIsASliceWithAPlaceInTheOrder() {
        assertThat(CORE).isNotEmpty().allSatisfy(type -> assertThat(MAY_USE).containsKey(Slice.of(type)));
    }

    @Test
    void aSliceUsesOnlyThoseBelowIt() {
        for (Slice slice : Slice.values()) {
            classes()
                    .that(are(slice))
                    .should()
                    .onlyDependOnClassesThat(describe(
                            "are of the JDK, JSpecify, " + slice + " or " + MAY_USE.get(slice),
                            used -> !isOurs(used)
                                    || Slice.of(used) == slice
                                    || MAY_USE.get(slice).contains(Slice.of(used))))
                    .check(CORE);
        }
    }

    @Test
    void thereAreNoCyclesBetweenSlices() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return isOurs(type) ? SliceIdentifier.of(Slice.of(type).name()) : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "packages, outbox cut in three and dispatch in two";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(CORE);
    }

    @Test
    void onlyTheBridgeFromThePollerKnowsThePoller() {
        noClasses()
                .that(resideInAPackage("outbox.dispatch"))
                .and()
                .doNotHaveSimpleName("DispatcherPollerHandler")
                .should()
                .dependOnClassesThat(resideInAPackage("outbox.poller"))
                .check(CORE);
    }

    @Test
    void onlyTheBridgeFromTheWriterKnowsItsHook() {
        noClasses()
                .that(resideInAPackage("outbox.dispatch"))
                .and()
                .doNotHaveSimpleName("DispatcherWriterHook")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("outbox\\.(Leased)?WriterHook")
                .check(CORE);
    }

    @Test
    void ofTheRegistryTheDispatcherKnowsTheInterfaceOnly() {
        noClasses()
                .that(resideInAPackage("outbox.dispatch"))
                .should()
                .dependOnClassesThat(resideInAPackage("outbox.registry")
                        .and(describe(
                                "are not ListenerRegistry",
                                type -> !type.getSimpleName().equals("ListenerRegistry"))))
                .check(CORE);
    }

    @Test
    void theCoreNeedsNothingButTheJdk() {
        classes()
                .should()
                .onlyDependOnClassesThat(describe(
                        "are of the core, of java.base and java.sql, or annotations of JSpecify",
                        type -> isOurs(type)
                                || type.getPackageName().isEmpty()
                                || type.getPackageName().startsWith("java.")
                                || type.getPackageName().startsWith("javax.sql")
                                || type.getPackageName().equals("org.jspecify.annotations")))
                .check(CORE);
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals("outbox") || type.getPackageName().startsWith("outbox.");
    }

    private static DescribedPredicate<JavaClass> are(Slice slice) {
        return describe("are of slice " + slice, type -> isOurs(type) && Slice.of(type) == slice);
    }
}
