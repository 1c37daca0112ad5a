/** Test support for users of the outbox: an in-memory store, a manual clock, a recording listener, store contracts. */
@NullMarked
package outbox.testing;

import org.jspecify.annotations.NullMarked;
