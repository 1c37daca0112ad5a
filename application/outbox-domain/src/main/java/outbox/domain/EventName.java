package outbox.domain;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The stable name of an event type: what is stored in the row and seen by other systems, so that the class can be
 * renamed or moved. Without it the class name is the name. A class with this annotation is an event, whether it implements
 * {@link DomainEvent} or not.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface EventName {
    /** The version of events that say nothing about it. */
    int FIRST_VERSION = 1;

    /** For instance {@code order.placed}; at most 128 characters. */
    String value();

    /** Raise it when the shape changes in a way that old payloads do not fit, and add an upcaster from the one before. */
    int version() default FIRST_VERSION;

    /** Names this type had before; rows that still carry them are read as this type. */
    String[] formerNames() default {};
}
