/** Small parts that need nothing but the JDK and know nothing of the engine. */
@NullMarked
package outbox.util;

import org.jspecify.annotations.NullMarked;
