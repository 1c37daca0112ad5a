/** What the parts of the shop tell each other. */
@org.jspecify.annotations.NullMarked
package outbox.samples.shop.events;
