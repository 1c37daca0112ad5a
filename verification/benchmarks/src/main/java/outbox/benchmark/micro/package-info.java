/** JMH benchmarks, where nanoseconds matter. */
@NullMarked
package outbox.benchmark.micro;

import org.jspecify.annotations.NullMarked;
