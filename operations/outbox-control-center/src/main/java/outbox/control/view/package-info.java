/** Which filters did people find worth keeping? */
@org.jspecify.annotations.NullMarked
package outbox.control.view;
