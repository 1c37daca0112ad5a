/** Idempotent controllers on real servers and databases. */
@NullMarked
package outbox.spring.boot.idempotent;

import org.jspecify.annotations.NullMarked;
