/** Supervises worker processes and a database server, lets faults happen, and compares what came of it with what was committed. */
@NullMarked
package outbox.torture;

import org.jspecify.annotations.NullMarked;
