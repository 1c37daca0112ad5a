/** What a measurement is, and the interleaved run that takes them. */
@NullMarked
package outbox.benchmark;

import org.jspecify.annotations.NullMarked;
