package outbox.jdbc.purge;

import java.time.Instant;
import java.util.List;
import outbox.jdbc.EventTable;
import outbox.spi.RetentionPurger.Cutoff;

/**
 * The rows a purge deletes, in parts. Each is a range of an index that the schema files create, read from its old end, so
 * that a batch costs the same whether a thousand rows wait or a million. One condition for all of them, with
 * {@code COALESCE}, could use none.
 */
enum TerminalRows {
    /** Delivered rows; nearly all. */
    DONE("status = {done} AND done_at < ?", "done_at"),
    /** Dead letters. Those that were marked by the specification's {@code markDead} have no {@code done_at}. */
    DEAD("status = {dead} AND COALESCE(done_at, created_at) < ?", "created_at"),
    /** Dead letters that nothing has to wait for. */
    DEAD_AND_NOT_BLOCKING(
            "status = {dead} AND (aggregate_id IS NULL OR locked_by = {parked}) AND COALESCE(done_at, created_at) < ?",
            "created_at"),
    /** Rows that somebody else marked DONE and forgot the time of. */
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
