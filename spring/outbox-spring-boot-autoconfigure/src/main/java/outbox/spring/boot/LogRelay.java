package outbox.spring.boot;

import java.util.Map;

/** What delivers where the outbox itself does not: a reader of the database's log. {@code outbox-cdc} may not be there. */
interface LogRelay {
    boolean isStopped();

    /** How it goes, for people. */
    Map<String, Object> details();
}
