package outbox.domain;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.listener.CallRules;
import outbox.listener.CircuitBreaker;
import outbox.listener.ConcurrencyLimit;
import outbox.listener.RateLimit;

/** See {@code docs/decisions/domain-packages.md}. */
class DomainPackagesTest {
    private static final JavaClasses DOMAIN = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("outbox.domain");

    private static final Map<String, List<String>> MAY_USE = Map.of(
            "outbox.domain", List.of(),
            "outbox.domain.type", List.of("outbox.domain"),
            "outbox.domain.publish", List.of("outbox.domain", "outbox.domain.type"),
            "outbox.domain.handler", List.of("outbox.domain", "outbox.domain.type"),
            "outbox.domain.bus", List.of("outbox.domain", "outbox.domain.type"),
            "outbox.domain.jackson",
                    List.of("outbox.domain", "outbox.domain.type", "com.fasterxml.jackson..", "tools.jackson.."));

    @Test
    void eachPackageUsesOnlyThoseBelowItAndTheCore() {
        MAY_USE.forEach((room, others) -> classes()
                .that(resideInAPackage(room))
                .should()
                .onlyDependOnClassesThat(resideInAPackage(room)
                        .or(resideInAnyPackage(others.toArray(String[]::new)))
                        .or(resideInAnyPackage(
                                "java.lang..",
                                "java.util..",
                                "java.time..",
                                "java.io..",
                                "java.sql..",
                                "org.jspecify.."))
                        .or(resideInAnyPackage(
                                "outbox",
                                "outbox.spi",
                                "outbox.util",
                                "outbox.dispatch",
                                "outbox.listener",
                                "outbox.registry")))
                .check(DOMAIN));
    }

    /** They ask {@link CallRules}, so that a new rule of listeners is one of handlers too. */
    @Test
    void handlersAskNoRuleByThemselves() {
        noClasses()
                .that(resideInAPackage("outbox.domain.."))
                .should()
                .dependOnClassesThat(belongToAnyOf(CircuitBreaker.class, ConcurrencyLimit.class, RateLimit.class))
                .check(DOMAIN);
    }
}
