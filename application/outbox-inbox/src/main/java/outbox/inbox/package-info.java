/** Does a received message have to be handled once, and by the engine of the outbox? */
@NullMarked
package outbox.inbox;

import org.jspecify.annotations.NullMarked;
