/** The engine's figures as Micrometer meters. */
@NullMarked
package outbox.micrometer;

import org.jspecify.annotations.NullMarked;
