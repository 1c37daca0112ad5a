/** Is it a value under {@code outbox.*}? One file for each topic; those of optional modules are beside their beans. */
@NullMarked
package outbox.spring.boot.properties;

import org.jspecify.annotations.NullMarked;
