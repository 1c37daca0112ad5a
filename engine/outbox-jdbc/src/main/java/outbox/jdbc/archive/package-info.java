/** Keeps a copy of rows that are about to be deleted. */
@NullMarked
package outbox.jdbc.archive;

import org.jspecify.annotations.NullMarked;
