/** The engine's metrics as Micrometer meters. */
@NullMarked
package outbox.micrometer;

import org.jspecify.annotations.NullMarked;
