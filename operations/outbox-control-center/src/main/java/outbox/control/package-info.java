/** Which applications does this control center show, and how is it put together? */
@org.jspecify.annotations.NullMarked
package outbox.control;
