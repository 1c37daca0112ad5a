/** Does it call the XXL-Job admin? A client of its HTTP API, and the registration of jobs at the start of an application. */
@org.jspecify.annotations.NullMarked
package outbox.xxljob.admin;
