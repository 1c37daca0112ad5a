/** What the page shows: orders and how far their events are, live. */
@org.jspecify.annotations.NullMarked
package outbox.samples.shop.board;
