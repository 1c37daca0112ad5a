/** Is it for application code that gives messages of Spring's listeners to an inbox? */
@NullMarked
package outbox.spring.boot.inbox;

import org.jspecify.annotations.NullMarked;
