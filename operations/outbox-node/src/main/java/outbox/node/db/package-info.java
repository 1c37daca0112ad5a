/** SQL helpers of the operations modules. Not an API: it may change in any version. */
@org.jspecify.annotations.NullMarked
package outbox.node.db;
