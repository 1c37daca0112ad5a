/** What a test of an outbox user wants: an in-memory store, a clock by hand, a recording listener, a store contract. */
@NullMarked
package outbox.testing;

import org.jspecify.annotations.NullMarked;
