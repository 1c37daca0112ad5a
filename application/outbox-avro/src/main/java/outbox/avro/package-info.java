/** Payloads and contracts in Avro. */
@NullMarked
package outbox.avro;

import org.jspecify.annotations.NullMarked;
