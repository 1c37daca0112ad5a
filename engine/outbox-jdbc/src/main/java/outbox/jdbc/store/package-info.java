/** The outbox table: one store per database, found by JDBC URL. */
@NullMarked
package outbox.jdbc.store;

import org.jspecify.annotations.NullMarked;
