/** Who reacts to an event: annotated methods, each with a state, retries and a lane of its own. */
@NullMarked
package outbox.domain.handler;

import org.jspecify.annotations.NullMarked;
