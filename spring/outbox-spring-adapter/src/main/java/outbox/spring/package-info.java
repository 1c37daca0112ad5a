/** Spring transactions for the outbox; requires Spring, but not Spring Boot. */
@NullMarked
package outbox.spring;

import org.jspecify.annotations.NullMarked;
