/** What can an operator do to events? */
@org.jspecify.annotations.NullMarked
package outbox.control.act;
