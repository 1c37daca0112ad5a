/** Consumption, inbox and a guard against double sending in Redis; keys live as long as duplicates may come. */
@NullMarked
package outbox.idempotency.redis;

import org.jspecify.annotations.NullMarked;
