/** What domain and application code imports: events, aggregates, the publisher. */
@NullMarked
package outbox.domain;

import org.jspecify.annotations.NullMarked;
