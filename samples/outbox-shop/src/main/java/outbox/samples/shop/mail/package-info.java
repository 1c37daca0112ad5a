/** Mail, stored with Spring's JDBC client. */
@org.jspecify.annotations.NullMarked
package outbox.samples.shop.mail;
