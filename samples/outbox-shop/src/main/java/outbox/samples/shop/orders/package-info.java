/** Orders, stored with JPA. */
@org.jspecify.annotations.NullMarked
package outbox.samples.shop.orders;
