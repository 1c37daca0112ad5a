/** Partitions the outbox table by day, and drops old partitions. */
@NullMarked
package outbox.jdbc.partition;

import org.jspecify.annotations.NullMarked;
