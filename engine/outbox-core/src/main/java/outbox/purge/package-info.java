/** Removes terminal rows after their retention. */
@NullMarked
package outbox.purge;

import org.jspecify.annotations.NullMarked;
