/** Transactions for code that has no framework for them: begun by hand, bound to the thread. */
@NullMarked
package outbox.jdbc.tx;

import org.jspecify.annotations.NullMarked;
