/** Handler progress and idempotency keys in tables next to the outbox table, in the same transactions. */
@NullMarked
package outbox.idempotency.jdbc;

import org.jspecify.annotations.NullMarked;
