/** Event payloads as JSON, by Jackson 2 or Jackson 3, whichever the application has. */
@NullMarked
package outbox.domain.jackson;

import org.jspecify.annotations.NullMarked;
