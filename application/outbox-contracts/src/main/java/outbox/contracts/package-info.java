/** Contracts: the JSON Schema of each event type and version, and checks against it. */
@NullMarked
package outbox.contracts;

import org.jspecify.annotations.NullMarked;
