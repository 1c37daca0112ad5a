/** Which filters did users save? */
@org.jspecify.annotations.NullMarked
package outbox.control.view;
