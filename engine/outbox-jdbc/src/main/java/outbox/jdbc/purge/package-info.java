/** Deletes what has been delivered or given up long enough ago. */
@NullMarked
package outbox.jdbc.purge;

import org.jspecify.annotations.NullMarked;
