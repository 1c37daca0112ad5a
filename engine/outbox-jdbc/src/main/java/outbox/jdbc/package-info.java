/** What stores, purgers and transactions share of JDBC: statements, connections, table names, the schema. */
@NullMarked
package outbox.jdbc;

import org.jspecify.annotations.NullMarked;
