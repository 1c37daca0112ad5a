/** Reaches applications over HTTP, through the control center that is embedded in them. */
@org.jspecify.annotations.NullMarked
package outbox.control.remote;
