/** Spring's transactions, seen as the outbox sees a transaction; needs Spring, but not Spring Boot. */
@NullMarked
package outbox.spring;

import org.jspecify.annotations.NullMarked;
