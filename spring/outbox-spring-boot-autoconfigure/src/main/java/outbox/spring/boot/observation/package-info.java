/** How writing and handling are observed: what a convention sees, and the conventions of the starter. */
@NullMarked
package outbox.spring.boot.observation;

import org.jspecify.annotations.NullMarked;
