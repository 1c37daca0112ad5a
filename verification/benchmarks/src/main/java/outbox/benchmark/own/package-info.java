/** This project under measurement. */
@NullMarked
package outbox.benchmark.own;

import org.jspecify.annotations.NullMarked;
