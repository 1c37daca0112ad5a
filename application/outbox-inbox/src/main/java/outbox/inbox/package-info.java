/** Does it make sure that a received message is handled once? */
@NullMarked
package outbox.inbox;

import org.jspecify.annotations.NullMarked;
