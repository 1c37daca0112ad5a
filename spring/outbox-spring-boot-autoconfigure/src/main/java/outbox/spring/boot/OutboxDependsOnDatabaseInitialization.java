package outbox.spring.boot;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/** Flyway, Liquibase and {@code schema.sql} come first: they may bring the table. */
final class OutboxDependsOnDatabaseInitialization extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {
    @Override
    protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
        return Set.of(OutboxUnit.class);
    }
}
