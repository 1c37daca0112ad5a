/** Handlers of events: annotated methods and routes, each with its own progress, retries and queue. */
@NullMarked
package outbox.domain.handler;

import org.jspecify.annotations.NullMarked;
