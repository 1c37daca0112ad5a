/** Carries events out of the process as signed HTTP requests, and checks such requests on the receiving side. */
@NullMarked
package outbox.webhook;

import org.jspecify.annotations.NullMarked;
