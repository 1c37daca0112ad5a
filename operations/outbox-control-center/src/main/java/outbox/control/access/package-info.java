/** Who may see and do what? */
@org.jspecify.annotations.NullMarked
package outbox.control.access;
