/** JDBC basics of stores, purgers and transactions: statements, connections, table names, the schema. */
@NullMarked
package outbox.jdbc;

import org.jspecify.annotations.NullMarked;
