/** A shop whose orders, payments and mail know each other by events alone. */
@org.jspecify.annotations.NullMarked
package outbox.samples.shop;
