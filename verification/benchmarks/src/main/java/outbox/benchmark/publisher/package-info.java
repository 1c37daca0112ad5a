/** How fast do events leave the process? Publishers beside the tightest code by hand, on real brokers and receivers. */
@NullMarked
package outbox.benchmark.publisher;

import org.jspecify.annotations.NullMarked;
