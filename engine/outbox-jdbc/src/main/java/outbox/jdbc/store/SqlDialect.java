package outbox.jdbc.store;

import outbox.jdbc.TimeColumns;

/**
 * What the shared statements must know of a database. In their text {@code {table}} stands for the table and the other
 * names in braces for these expressions.
 *
 * @param now {@code {now}}: the database's clock as the statement starts, not as the transaction did
 * @param later {@code {now+?}}: that clock plus a parameter of microseconds
 * @param earlier {@code {now-?}}: that clock minus a parameter of microseconds
 * @param json {@code {json}}: a parameter of JSON text
 * @param times the type of the time columns
 * @param byKey what follows the table's name where rows are named by their keys and only they may be touched and locked;
 *     {@code {table by key}} is both, {@code {delete by key}} a DELETE up to its condition
 * @param bytes how many bytes of UTF-8 the text of the JSON column {@code {column}} has, roughly if it has few; empty for a
 *     database that is not asked: claims then read their rows before they know how large they are
 * @param text the text of that column
 */
public record SqlDialect(
        String now,
        String later,
        String earlier,
        String json,
        TimeColumns times,
        String byKey,
        String bytes,
        String text) {
    /** For a database that is not asked for the size of values. */
    public SqlDialect(String now, String later, String earlier, String json, TimeColumns times, String byKey) {
        this(now, later, earlier, json, times, byKey, "", "{column}");
    }

    String render(String template, String table) {
        return template.strip()
                .replace(
                        "{delete by key}",
                        byKey.isEmpty() ? "DELETE FROM {table}" : "DELETE {table} FROM {table by key}")
                .replace("{table by key}", "{table}" + byKey)
                .replace("{table}", table)
                .replace("{now}", now)
                .replace("{now+?}", later)
                .replace("{now-?}", earlier)
                .replace("{json}", json);
    }
}
