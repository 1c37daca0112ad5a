/** How is an application doing right now, asked once for all who look? */
@org.jspecify.annotations.NullMarked
package outbox.control.live;
