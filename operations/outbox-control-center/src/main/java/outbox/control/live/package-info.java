/** What are the current metrics of an application? Sampled once for all open pages. */
@org.jspecify.annotations.NullMarked
package outbox.control.live;
