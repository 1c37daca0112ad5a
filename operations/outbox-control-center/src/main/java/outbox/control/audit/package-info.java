/** Who did what, so that nobody can change it unseen? */
@org.jspecify.annotations.NullMarked
package outbox.control.audit;
