/** What does an engine write down for the control center, without being slowed by it? */
@org.jspecify.annotations.NullMarked
package outbox.node;
