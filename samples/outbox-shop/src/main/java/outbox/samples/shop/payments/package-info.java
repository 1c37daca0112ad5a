/** Payments, stored with MyBatis. */
@org.jspecify.annotations.NullMarked
package outbox.samples.shop.payments;
