package outbox.idempotency;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class IdempotencyPackagesTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("outbox.idempotency");

    @Test
    void theRulesKnowNeitherJdbcNorRedis() {
        noClasses()
                .that(resideInAPackage("outbox.idempotency"))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("outbox.idempotency.*..", "outbox.jdbc..", "java.sql..", "io.lettuce.."))
                .check(CLASSES);
    }

    @Test
    void jdbcAndRedisDoNotKnowEachOther() {
        noClasses()
                .that(resideInAPackage("outbox.idempotency.jdbc"))
                .should()
                .dependOnClassesThat(resideInAnyPackage("outbox.idempotency.redis", "io.lettuce.."))
                .check(CLASSES);
        noClasses()
                .that(resideInAPackage("outbox.idempotency.redis"))
                .should()
                .dependOnClassesThat(resideInAnyPackage("outbox.idempotency.jdbc", "outbox.jdbc..", "java.sql.."))
                .check(CLASSES);
    }
}
