/** Dead letters: look at them, replay them. */
@NullMarked
package outbox.dead;

import org.jspecify.annotations.NullMarked;
