/** The nodes of a multi-database relay find each other through a table. */
@NullMarked
package outbox.jdbc.fleet;

import org.jspecify.annotations.NullMarked;
