/** Which listener takes which event. */
@NullMarked
package outbox.registry;

import org.jspecify.annotations.NullMarked;
