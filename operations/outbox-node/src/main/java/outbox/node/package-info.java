/** What does a node report, and which switches does it obey? */
@org.jspecify.annotations.NullMarked
package outbox.node;
