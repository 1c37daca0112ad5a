/** What business code touches: events, the writer, listeners and the composer. */
@NullMarked
package outbox;

import org.jspecify.annotations.NullMarked;
