/** Publishers of domain events: into the current transaction, or directly to the handlers. */
@NullMarked
package outbox.domain.publish;

import org.jspecify.annotations.NullMarked;
