/** A row of the outbox table and its states. */
@NullMarked
package outbox.model;

import org.jspecify.annotations.NullMarked;
