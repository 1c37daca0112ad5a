package outbox.spring.boot;

import java.util.Locale;
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

            With another transaction manager beside it, also add @Primary, or name it in @Transactional. Spring Boot
            itself defines none for the database if there is one for a message broker, such as the
            KafkaTransactionManager of spring.kafka.producer.transaction-id-prefix.

            If this application needs no outbox, set outbox.enabled=false.""";

    private OutboxFailures() {}

    static final class NoTables extends AbstractFailureAnalyzer<MissingTablesException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, MissingTablesException cause) {
            return new FailureAnalysis(sentence(cause.getMessage()), """
                    Do one of these:
                      - let Flyway or Liquibase create them, in a history beside yours: outbox.schema.mode=flyway
                        or outbox.schema.mode=liquibase
                      - let the application create them: outbox.schema.mode=always
                      - copy the DDL below into your own migrations, under a version of yours, or run it by hand

                    %s""".formatted(cause.ddl()), cause);
        }
    }

    static final class FailedMigration extends AbstractFailureAnalyzer<MigrationFailedException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, MigrationFailedException cause) {
            String tool = cause.tool().name().toLowerCase(Locale.ROOT);
            return new FailureAnalysis(sentence(cause.getMessage()), """
                    If this user may not create tables, do one of these:
                      - let another user migrate: spring.%1$s.user and spring.%1$s.password
                      - let an administrator run the output of 'outbox schema print --all', and set outbox.schema.mode=validate

                    If the tables were created in another way before, set outbox.schema.mode=validate.""".formatted(tool), cause);
        }
    }

    static final class OldTable extends AbstractFailureAnalyzer<OutboxSchemaException> {
        @Override
        protected FailureAnalysis analyze(Throwable root, OutboxSchemaException cause) {
            String action = cause.missingColumns().isEmpty()
                    ? "Create it with a migration, or set outbox.schema.mode to flyway, liquibase or always."
                    : cause.missingColumns().stream()
                            .sorted()
                            .collect(Collectors.joining(
                                    ", ",
                                    "The table is older than this version requires, or outbox.mode is ordered and the table is"
                                            + " not set up for it. Add what is missing with a migration: ",
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
                            : "Choose the one of the outbox's data source with outbox.transaction-manager=<bean name>.",
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
                    "Choose the one with the outbox table: outbox.data-source="
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
                    "Give each its own name: @EventHandler(name = \"...\"). For a renamed handler, add its"
                            + " former name with formerNames = \"...\".",
                    cause);
        }
    }

    private static String sentence(@Nullable String message) {
        String text = message == null ? "the outbox cannot start" : message;
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }
}
