/** Which alerts fire, who is notified, and did the notification arrive? */
@org.jspecify.annotations.NullMarked
package outbox.control.alert;
