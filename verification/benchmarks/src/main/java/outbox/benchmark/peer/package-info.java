/** Other outboxes and schedulers on equal work. */
@NullMarked
package outbox.benchmark.peer;

import org.jspecify.annotations.NullMarked;
