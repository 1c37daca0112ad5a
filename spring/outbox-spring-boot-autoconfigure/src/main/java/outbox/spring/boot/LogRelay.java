package outbox.spring.boot;

import java.util.Map;

/** A CDC relay that delivers instead of the outbox. Separate type, because {@code outbox-cdc} is optional. */
interface LogRelay {
    boolean isStopped();

    /** Its status as text. */
    Map<String, Object> details();
}
