/** One class for each way to make the system suffer. */
@NullMarked
package outbox.torture.cases;

import org.jspecify.annotations.NullMarked;
