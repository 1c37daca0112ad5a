/** How does the control center look over HTTP? */
@org.jspecify.annotations.NullMarked
package outbox.control.http;
