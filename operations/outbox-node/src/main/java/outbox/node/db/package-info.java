/** What do the statements of this module have in common? Not an API: it may change in any version. */
@org.jspecify.annotations.NullMarked
package outbox.node.db;
