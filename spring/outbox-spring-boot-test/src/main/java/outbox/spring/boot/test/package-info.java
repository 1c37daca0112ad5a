/** Would the test of an application with the starter want it? */
@org.jspecify.annotations.NullMarked
package outbox.spring.boot.test;
