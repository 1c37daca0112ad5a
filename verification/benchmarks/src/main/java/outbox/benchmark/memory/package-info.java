/** Delivery in a heap far smaller than the table. */
@NullMarked
package outbox.benchmark.memory;

import org.jspecify.annotations.NullMarked;
