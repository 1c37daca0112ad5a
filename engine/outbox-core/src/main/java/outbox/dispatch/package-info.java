/** From the queues through the listener to the settled row. */
@NullMarked
package outbox.dispatch;

import org.jspecify.annotations.NullMarked;
