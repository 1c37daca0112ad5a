package outbox.spring.boot;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import outbox.NoActiveTransactionException;
import outbox.domain.handler.DuplicateHandlerNameException;
import outbox.jdbc.OutboxSchemaException;

/** What Spring Boot prints, instead of a stack trace, when an application cannot start because of its outbox. */
final class OutboxFailures {
    private static final String NO_MANAGER = """
            Define a transaction manager for the data source of the outbox, for instance

                @Bean
                PlatformTransactionManager transactionManager(DataSource dataSource) {
                    return new JdbcTransactionManager(dataSource);
                }

            or, if this application needs no outbox, set outbox.enabled=false.""";

    private OutboxFailures() {}

    static final class NoTables extends AbstractFailureAnalyzer<MissingTablesException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, MissingTablesException cause) {
            return new FailureAnalysis(sentence(cause.getMessage()), """
                    Do one of these:
                      - let Flyway create them, in a schema history of their own: outbox.schema.mode=flyway
                      - let the application create them: outbox.schema.mode=always
                      - copy the DDL below into your own migrations, under a version of yours, or run it by hand;
                        with Liquibase include the change logs that docs/spring-boot.md names

                    %s""".formatted(cause.ddl()), cause);
        }
    }

    static final class OldTable extends AbstractFailureAnalyzer<OutboxSchemaException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, OutboxSchemaException cause) {
            String action = cause.missingColumns().isEmpty()
                    ? "Create it by a migration, or set outbox.schema.mode to flyway or always."
                    : cause.missingColumns().stream()
                            .sorted()
                            .collect(Collectors.joining(
                                    ", ",
                                    "The table is older than this version needs it, or outbox.mode is ordered and it is"
                                            + " not made for that. Add what is missing by a migration: ",
                                    ". The message above names the file to compare it with."));
            return new FailureAnalysis(sentence(cause.getMessage()), action, cause);
        }
    }

    static final class NoTransactions extends AbstractFailureAnalyzer<NoTransactionManagerException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, NoTransactionManagerException cause) {
            return new FailureAnalysis(
                    sentence(cause.getMessage()),
                    cause.candidates().isEmpty()
                            ? NO_MANAGER
                            : "Name the one of the outbox's data source: outbox.transaction-manager=<bean name>.",
                    cause);
        }
    }

    static final class NoTransaction extends AbstractFailureAnalyzer<NoActiveTransactionException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, NoActiveTransactionException cause) {
            return new FailureAnalysis(
                    sentence(cause.getMessage()),
                    "Put @Transactional on the public method that makes the change and writes the event, and call it"
                            + " from another bean: a call inside the same bean does not pass the proxy that begins the"
                            + " transaction. Or use a TransactionTemplate.",
                    cause);
        }
    }

    static final class WhichDataSource extends AbstractFailureAnalyzer<SeveralDataSourcesException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, SeveralDataSourcesException cause) {
            return new FailureAnalysis(
                    sentence(cause.getMessage()),
                    "Say which one holds the table: outbox.data-source="
                            + cause.names().get(0)
                            + ", or @OutboxDataSource on its bean method. For an outbox in each of them set"
                            + " outbox.instances.<name>.data-source=<bean name>.",
                    cause);
        }
    }

    static final class TwoHandlers extends AbstractFailureAnalyzer<DuplicateHandlerNameException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, DuplicateHandlerNameException cause) {
            return new FailureAnalysis(
                    sentence(cause.getMessage()),
                    "Give each of them its own name: @EventHandler(name = \"...\"). A handler that was renamed says its"
                            + " former name: formerNames = \"...\".",
                    cause);
        }
    }

    private static String sentence(@Nullable String message) {
        String text = message == null ? "the outbox cannot start" : message;
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }
}
