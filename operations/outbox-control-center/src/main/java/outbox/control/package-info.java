/** Which applications does this control center show, and how is it assembled? */
@org.jspecify.annotations.NullMarked
package outbox.control;
