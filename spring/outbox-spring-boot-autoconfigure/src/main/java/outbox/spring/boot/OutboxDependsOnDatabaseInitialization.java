package outbox.spring.boot;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/** Initializes the outbox after Flyway, Liquibase and {@code schema.sql}, which may create the table. */
final class OutboxDependsOnDatabaseInitialization extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {
    @Override
    protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
        return Set.of(OutboxUnit.class);
    }
}
