/** Reads JSON that others sent. */
@org.jspecify.annotations.NullMarked
package outbox.control.json;
