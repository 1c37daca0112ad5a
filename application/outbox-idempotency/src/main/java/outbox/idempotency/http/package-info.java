/** HTTP requests with an idempotency key: their answers are kept with the key and given again; no web framework. */
@NullMarked
package outbox.idempotency.http;

import org.jspecify.annotations.NullMarked;
