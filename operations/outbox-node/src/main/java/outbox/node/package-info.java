/** What does a node report, and which commands of operators does it carry out? */
@org.jspecify.annotations.NullMarked
package outbox.node;
