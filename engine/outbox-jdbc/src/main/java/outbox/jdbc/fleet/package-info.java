/** Lets the nodes of a fleet know each other by a table. */
@NullMarked
package outbox.jdbc.fleet;

import org.jspecify.annotations.NullMarked;
