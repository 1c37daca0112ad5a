/** What many databases and many nodes cost: measured where it can be run, calculated where it cannot. */
@NullMarked
package outbox.benchmark.scale;

import org.jspecify.annotations.NullMarked;
