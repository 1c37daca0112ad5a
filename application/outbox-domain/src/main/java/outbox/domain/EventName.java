package outbox.domain;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The stable name of an event type, stored in the row and used by other systems, so that the class can be renamed or
 * moved. Default: the class name. A class with this annotation is an event, whether it implements {@link DomainEvent}
 * or not.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface EventName {
    /** Default version. */
    int FIRST_VERSION = 1;

    /** For instance {@code order.placed}; at most 128 characters. */
    String value();

    /** Increase it when old payloads no longer match the class, and add an upcaster from the previous version. */
    int version() default FIRST_VERSION;

    /** Previous names of this type; rows with these names are read as this type. */
    String[] formerNames() default {};
}
