/** Does it read the table by Debezium? It never marks a row. */
@NullMarked
package outbox.cdc;

import org.jspecify.annotations.NullMarked;
