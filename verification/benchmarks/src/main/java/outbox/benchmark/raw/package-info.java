/** The limits: the tightest hand-written JDBC on the same table. */
@NullMarked
package outbox.benchmark.raw;

import org.jspecify.annotations.NullMarked;
