/** Test support for applications with the starter. */
@org.jspecify.annotations.NullMarked
package outbox.spring.boot.test;
