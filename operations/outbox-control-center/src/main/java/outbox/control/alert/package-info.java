/** What is wrong, who has to hear of it, and did he? */
@org.jspecify.annotations.NullMarked
package outbox.control.alert;
