/** The module that hears of orders. */
@NullMarked
package outbox.modulith.shop.inventory;

import org.jspecify.annotations.NullMarked;
