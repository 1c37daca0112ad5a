/** What does an operator type? A program, not an API. */
@org.jspecify.annotations.NullMarked
package outbox.cli;
