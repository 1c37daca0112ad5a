/** Consumption and idempotency keys in tables beside the outbox, in the same transactions. */
@NullMarked
package outbox.idempotency.jdbc;

import org.jspecify.annotations.NullMarked;
