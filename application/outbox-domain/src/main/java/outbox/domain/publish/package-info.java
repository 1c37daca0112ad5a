/** Where published domain events go: into the current transaction, or straight to the handlers. */
@NullMarked
package outbox.domain.publish;

import org.jspecify.annotations.NullMarked;
