package outbox.control.remote;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.sql.DataSource;
import outbox.node.db.Flavor;
import outbox.node.db.SecretBox;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;

/** Announced applications in the control center's own database, their tokens encrypted. Thread-safe. */
final class AnnouncementStore {
    /** Each of them is polled by a thread of its own. */
    static final int MOST = 200;

    private final DataSource dataSource;
    private final Flavor flavor;
    private final SecretBox box;

    /** A row as it is stored. Two with equal rows are the same announcement. */
    record Row(String name, String url, String nameThere, String sealed) {}

    AnnouncementStore(DataSource dataSource, SecretKey key) {
        this.dataSource = dataSource;
        this.flavor = Flavor.detect(dataSource);
        this.box = new SecretBox(
                key,
                "the token of application %s cannot be decrypted: was the key of the control center changed? Restart the"
                        + " application, so that it announces itself again");
    }

    /** By name. */
    Map<String, Row> rows() throws SQLException {
        Map<String, Row> rows = new LinkedHashMap<>();
        try (Connection conn = dataSource.getConnection()) {
            new Sql(
                            flavor,
                            "SELECT application, api_url, name_there, token FROM outbox_cc_announcement"
                                    + " ORDER BY application LIMIT ?",
                            MOST)
                    .query(conn, row -> new Row(row.getString(1), row.getString(2), row.getString(3), row.getString(4)))
                    .forEach(row -> rows.put(row.name(), row));
        }
        return rows;
    }

    /** @throws IllegalStateException if its token cannot be decrypted */
    RemoteApplication application(Row row) {
        return RemoteApplication.of(row.name(), row.url(), box.open(row.name(), row.sealed()))
                .withNameThere(row.nameThere());
    }

    /** Stores it, in place of an earlier announcement of the application. */
    void put(RemoteApplication application, String actor) throws SQLException {
        String sealed = box.close(application.name(), application.token());
        UnitOfWork.run(dataSource::getConnection, conn -> {
            Instant now = flavor.clock(conn);
            int updated = new Sql(
                            flavor,
                            "UPDATE outbox_cc_announcement SET api_url = ?, name_there = ?, token = ?, announced_by = ?,"
                                    + " announced_at = ? WHERE application = ?",
                            application.url().toString(),
                            application.nameThere(),
                            sealed,
                            actor,
                            now,
                            application.name())
                    .update(conn);
            return updated > 0
                    ? updated
                    : new Sql(
                                    flavor,
                                    "INSERT INTO outbox_cc_announcement (application, api_url, name_there, token,"
                                            + " announced_by, announced_at) VALUES (?, ?, ?, ?, ?, ?)",
                                    application.name(),
                                    application.url().toString(),
                                    application.nameThere(),
                                    sealed,
                                    actor,
                                    now)
                            .update(conn);
        });
    }

    /** @return whether it was announced */
    boolean remove(String name) throws SQLException {
        return UnitOfWork.run(
                        dataSource::getConnection,
                        conn -> new Sql(flavor, "DELETE FROM outbox_cc_announcement WHERE application = ?", name)
                                .update(conn))
                > 0;
    }
}
