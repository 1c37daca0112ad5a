/** Does it bring webhooks into the inbox? */
@NullMarked
package outbox.inbox.webhook;

import org.jspecify.annotations.NullMarked;
