/** Cuts the outbox table into days, and takes old days away as a whole. */
@NullMarked
package outbox.jdbc.partition;

import org.jspecify.annotations.NullMarked;
