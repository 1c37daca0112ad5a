/** What is wrong with this outbox, and what is to be done about it? Reads only. */
@org.jspecify.annotations.NullMarked
package outbox.doctor;
