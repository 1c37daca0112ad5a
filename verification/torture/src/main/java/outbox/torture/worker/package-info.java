/** What runs inside a worker process: business code that writes and listens, and the faults it can be told to commit. */
@NullMarked
package outbox.torture.worker;

import org.jspecify.annotations.NullMarked;
