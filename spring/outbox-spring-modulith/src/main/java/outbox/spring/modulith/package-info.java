/** Spring Modulith's event externalization, with the outbox as its engine. */
@NullMarked
package outbox.spring.modulith;

import org.jspecify.annotations.NullMarked;
