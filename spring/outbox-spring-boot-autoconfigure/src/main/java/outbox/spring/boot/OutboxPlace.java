package outbox.spring.boot;

import javax.sql.DataSource;
import outbox.domain.TransactionRunner;
import outbox.spi.EventSeal;

/**
 * The tables of an outbox, for tests and tools. There is a bean for each outbox.
 *
 * @param consumptionTable the handler progress table
 * @param transactions the transactions of the data source
 * @param seal the form of events in the table
 */
public record OutboxPlace(
        DataSource dataSource, String table, String consumptionTable, TransactionRunner transactions, EventSeal seal) {}
