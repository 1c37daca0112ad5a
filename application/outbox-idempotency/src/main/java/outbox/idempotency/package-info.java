/** What makes something happen once: creation under a key, consumption of a message. */
@NullMarked
package outbox.idempotency;

import org.jspecify.annotations.NullMarked;
