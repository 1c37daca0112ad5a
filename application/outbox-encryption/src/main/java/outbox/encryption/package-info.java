/** Keeps payloads and secret headers encrypted while they are in the table. */
@NullMarked
package outbox.encryption;

import org.jspecify.annotations.NullMarked;
