/** How do people hear of it, wherever they are? */
@org.jspecify.annotations.NullMarked
package outbox.alert;
