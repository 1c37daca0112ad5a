/** Encrypts payloads and secret headers in the table. */
@NullMarked
package outbox.encryption;

import org.jspecify.annotations.NullMarked;
