/** What does the control center need to run as a program of its own? */
@org.jspecify.annotations.NullMarked
package outbox.control.server;
