/** A shop in two regions with a database each. */
@NullMarked
package outbox.samples.multids;

import org.jspecify.annotations.NullMarked;
