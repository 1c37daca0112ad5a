/** What is in an application's outbox table, told so that a large table stays fast? */
@org.jspecify.annotations.NullMarked
package outbox.control.source;
