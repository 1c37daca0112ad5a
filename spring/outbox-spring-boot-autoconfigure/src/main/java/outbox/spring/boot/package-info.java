/** Conditions, properties and beans: the outbox as Spring Boot applications get it. */
@NullMarked
package outbox.spring.boot;

import org.jspecify.annotations.NullMarked;
