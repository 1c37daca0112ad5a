/** An order service that shows, step by step, what happens to its events. */
@NullMarked
package outbox.samples.demo;

import org.jspecify.annotations.NullMarked;
