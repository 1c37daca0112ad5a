/** Idempotency: creating something once per key, processing a message once. */
@NullMarked
package outbox.idempotency;

import org.jspecify.annotations.NullMarked;
