/** The multi-database relay: many outboxes on a fixed number of threads and connections. */
@NullMarked
package outbox.fleet;

import org.jspecify.annotations.NullMarked;
