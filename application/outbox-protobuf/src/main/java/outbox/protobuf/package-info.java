/** Payloads and contracts in Protocol Buffers. */
@NullMarked
package outbox.protobuf;

import org.jspecify.annotations.NullMarked;
