/** Listeners inside the process: subscribers, or the log. */
@NullMarked
package outbox.domain.bus;

import org.jspecify.annotations.NullMarked;
