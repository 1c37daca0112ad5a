/** How is the control center served over HTTP? */
@org.jspecify.annotations.NullMarked
package outbox.control.http;
