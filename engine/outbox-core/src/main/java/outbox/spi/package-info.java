/** What a user may replace: transactions, connections, the store, the purger, metrics. */
@NullMarked
package outbox.spi;

import org.jspecify.annotations.NullMarked;
