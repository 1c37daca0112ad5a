/** What is wrong with this outbox, and how can it be fixed? Read-only. */
@org.jspecify.annotations.NullMarked
package outbox.doctor;
