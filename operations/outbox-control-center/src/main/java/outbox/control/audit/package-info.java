/** Who did what? Tampering with the log is detected. */
@org.jspecify.annotations.NullMarked
package outbox.control.audit;
