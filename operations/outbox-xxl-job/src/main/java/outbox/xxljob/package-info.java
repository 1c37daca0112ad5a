/** Does XXL-Job call it? The outbox's work as handlers of an XXL-Job executor. */
@org.jspecify.annotations.NullMarked
package outbox.xxljob;
