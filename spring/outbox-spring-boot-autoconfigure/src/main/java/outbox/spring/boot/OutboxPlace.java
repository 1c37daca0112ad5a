package outbox.spring.boot;

import javax.sql.DataSource;
import outbox.domain.TransactionRunner;

/**
 * Where the rows of an outbox are, for tests and tools that look at them. There is a bean for each outbox.
 *
 * @param consumptionTable that of the progress of its handlers
 * @param transactions those of the data source
 */
public record OutboxPlace(
        DataSource dataSource, String table, String consumptionTable, TransactionRunner transactions) {}
