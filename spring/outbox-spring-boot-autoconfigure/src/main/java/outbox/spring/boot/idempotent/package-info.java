/** Controller methods that run once per idempotency key, on Spring MVC and WebFlux. */
@NullMarked
package outbox.spring.boot.idempotent;

import org.jspecify.annotations.NullMarked;
