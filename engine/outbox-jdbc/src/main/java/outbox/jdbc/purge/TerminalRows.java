package outbox.jdbc.purge;

import java.time.Instant;
import java.util.List;
import outbox.jdbc.EventTable;
import outbox.spi.RetentionPurger.Cutoff;

/**
 * The rows a purge deletes, by kind. Each kind is a range of a shipped index, read from its oldest entry, so that the
 * cost of a batch does not depend on the number of rows. A single condition with {@code COALESCE} could not use an
 * index.
 */
enum TerminalRows {
    /** Delivered rows; nearly all. */
    DONE("status = {done} AND done_at < ?", "done_at"),
    /** Dead letters. Those that were marked by the specification's {@code markDead} have no {@code done_at}. */
    DEAD("status = {dead} AND COALESCE(done_at, created_at) < ?", "created_at"),
    /** Dead letters that block no other event. */
    DEAD_AND_NOT_BLOCKING(
            "status = {dead} AND (aggregate_id IS NULL OR locked_by = {parked}) AND COALESCE(done_at, created_at) < ?",
            "created_at"),
    /** Rows that another program set to DONE without a time. */
    DONE_WITHOUT_TIME("status = {done} AND done_at IS NULL AND created_at < ?", "created_at");

    private final String condition;
    private final String order;

    TerminalRows(String condition, String order) {
        this.condition = EventTable.fill(condition);
        this.order = order;
    }

    static List<TerminalRows> of(Cutoff cutoff) {
        return List.of(DONE, cutoff.keepsBlocking() ? DEAD_AND_NOT_BLOCKING : DEAD, DONE_WITHOUT_TIME);
    }

    /** Fills the template's {@code {rows}}, a condition with the time as its parameter, and {@code {order}}. */
    String in(String template) {
        return template.replace("{rows}", condition).replace("{order}", order);
    }

    /** Which rows are still of this kind, by their {@code status}; a condition with the time as its parameter. */
    String condition() {
        return condition;
    }

    Instant before(Cutoff cutoff) {
        return this == DONE || this == DONE_WITHOUT_TIME ? cutoff.doneBefore() : cutoff.deadBefore();
    }
}
