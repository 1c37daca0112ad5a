/** Does it deliver events from the database's log, with Debezium? It never changes the status of a row. */
@NullMarked
package outbox.cdc;

import org.jspecify.annotations.NullMarked;
