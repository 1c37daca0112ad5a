/** Payloads that are stored beside the event table: the claim check, its table and its object stores. */
@NullMarked
package outbox.jdbc.payload;

import org.jspecify.annotations.NullMarked;
