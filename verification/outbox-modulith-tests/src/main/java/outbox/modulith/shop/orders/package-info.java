/** The module that completes orders. */
@NullMarked
package outbox.modulith.shop.orders;

import org.jspecify.annotations.NullMarked;
