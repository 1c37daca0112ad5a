package outbox.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must contain although no code refers to it: DDL, migrations, pages, and getters without a common type. */
final class OutboxRuntimeHints implements RuntimeHintsRegistrar {
    private static final List<String> RESOURCES = List.of(
            "outbox/schema/*.sql",
            "outbox/*/schema/*.sql",
            "outbox/migration/**",
            "outbox/*/migration/**",
            "outbox/liquibase/*",
            "outbox/*/liquibase/*",
            "outbox/control/ui/**");

    /** See {@link TransactionManagers} and {@link DataSourceUser}. */
    private static final List<String> GETTERS = List.of(
            "org.springframework.jdbc.datasource.DataSourceTransactionManager",
            "org.springframework.jdbc.support.JdbcTransactionManager",
            "org.springframework.orm.jpa.JpaTransactionManager",
            "org.springframework.orm.jpa.hibernate.HibernateTransactionManager",
            "org.springframework.orm.hibernate5.HibernateTransactionManager",
            "org.springframework.kafka.transaction.KafkaTransactionManager",
            "com.zaxxer.hikari.HikariConfig",
            "org.apache.tomcat.jdbc.pool.DataSourceProxy",
            "org.apache.commons.dbcp2.BasicDataSource",
            "oracle.ucp.jdbc.PoolDataSource");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        RESOURCES.forEach(hints.resources()::registerPattern);
        for (String type : GETTERS) {
            hints.reflection()
                    .registerTypeIfPresent(
                            classLoader, type, hint -> hint.withMembers(MemberCategory.INVOKE_PUBLIC_METHODS));
        }
    }
}
