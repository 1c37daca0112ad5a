/** What an event of a type and version looks like, and who notices when it does not. */
@NullMarked
package outbox.contracts;

import org.jspecify.annotations.NullMarked;
