/** An order service on Spring Boot that publishes through the outbox. */
@NullMarked
package outbox.samples.spring;

import org.jspecify.annotations.NullMarked;
