/** The control center as a standalone server. */
@org.jspecify.annotations.NullMarked
package outbox.control.server;
