/** What is in an application's outbox table? Every query is bounded, however large the table is. */
@org.jspecify.annotations.NullMarked
package outbox.control.source;
