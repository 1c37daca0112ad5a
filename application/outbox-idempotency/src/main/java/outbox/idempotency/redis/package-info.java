/** Handler progress, inbox and publish guard in Redis; keys must live as long as duplicates can arrive. */
@NullMarked
package outbox.idempotency.redis;

import org.jspecify.annotations.NullMarked;
