/** A small application of Spring Modulith. */
@NullMarked
package outbox.modulith.shop;

import org.jspecify.annotations.NullMarked;
