/** Names, versions and payloads of event types: from a domain event to its envelope and back. */
@NullMarked
package outbox.domain.type;

import org.jspecify.annotations.NullMarked;
