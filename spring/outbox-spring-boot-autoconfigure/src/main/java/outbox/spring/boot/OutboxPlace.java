package outbox.spring.boot;

import javax.sql.DataSource;
import outbox.domain.TransactionRunner;

/**
 * The tables of an outbox, for tests and tools. There is a bean for each outbox.
 *
 * @param consumptionTable the handler progress table
 * @param transactions the transactions of the data source
 */
public record OutboxPlace(
        DataSource dataSource, String table, String consumptionTable, TransactionRunner transactions) {}
