package outbox.doctor;

import java.util.Locale;

/** Every kind of finding; each has a runbook page of its name in {@code docs/runbooks}. */
enum FindingCode {
    AUTOVACUUM_OFF,
    BACKLOG_GROWING,
    BACKLOG_OLD,
    CHARSET,
    CLOCK_OFFSET,
    COLLATION,
    COLUMN_DIFFERS,
    COLUMN_MISSING,
    DEAD_LETTERS,
    DEAD_TUPLES,
    HANDLER_UNOWNED,
    INDEX_INVALID,
    INDEX_MISSING,
    INDEX_OPTIONAL,
    INDEX_UNUSED,
    ISOLATION,
    LEASES_EXPIRED,
    LEASE_TOO_SHORT,
    NOT_DURABLE,
    NOT_STRICT,
    OPEN_TRANSACTION,
    SLOT_LAG,
    TABLE_MISSING,
    TABLE_NOT_TRANSACTIONAL;

    /** In words with hyphens. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
