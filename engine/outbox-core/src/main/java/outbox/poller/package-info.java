/** Claims what is due in the table and hands it over. */
@NullMarked
package outbox.poller;

import org.jspecify.annotations.NullMarked;
