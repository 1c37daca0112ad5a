/** Whether the files of {@code operations/deploy} fit the product and the platforms they are for. */
@NullMarked
package outbox.deploy;

import org.jspecify.annotations.NullMarked;
