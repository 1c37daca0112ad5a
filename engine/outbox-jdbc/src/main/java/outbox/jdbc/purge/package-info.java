/** Purges delivered events and dead letters after their retention. */
@NullMarked
package outbox.jdbc.purge;

import org.jspecify.annotations.NullMarked;
