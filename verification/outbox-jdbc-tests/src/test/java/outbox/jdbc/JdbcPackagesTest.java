package outbox.jdbc;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The packages of outbox-jdbc depend on each other in one direction. */
class JdbcPackagesTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("outbox.jdbc");

    @Test
    void thePackagesAreFreeOfCycles() {
        assertThat(CLASSES.size()).as("classes of the module").isGreaterThan(50);
        slices().matching("outbox.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void whatIsSharedKnowsNoStore() {
        noClasses()
                .that(resideInAPackage("outbox.jdbc"))
                .should()
                .dependOnClassesThat(resideInAPackage("outbox.jdbc.*.."))
                .check(CLASSES);
    }
}
