/** The command line tool of operators. A program, not an API. */
@org.jspecify.annotations.NullMarked
package outbox.cli;
