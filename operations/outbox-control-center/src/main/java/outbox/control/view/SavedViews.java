package outbox.control.view;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import outbox.control.source.FilterText;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;
import outbox.util.Ulid;

/** Stores saved views. Thread-safe. */
public final class SavedViews {
    private static final int MAX_NAME = 64;
    private static final int MAX_FILTER = 2000;
    private static final int MAX_PER_APPLICATION = 200;
    private static final String COLUMNS = "id, application, name, owner, shared, filter_text, created_at";

    private final DataSource dataSource;
    private final Flavor flavor;

    public SavedViews(DataSource dataSource) {
        this.dataSource = dataSource;
        this.flavor = Flavor.detect(dataSource);
    }

    /** The user's own views and the shared ones, by name. */
    public List<SavedView> of(String application, String person) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return new Sql(
                            flavor,
                            "SELECT " + COLUMNS
                                    + " FROM outbox_cc_view WHERE application = ? AND (owner = ? OR shared = 1)"
                                    + " ORDER BY name, id LIMIT ?",
                            application,
                            person,
                            MAX_PER_APPLICATION)
                    .query(conn, this::view);
        }
    }

    /** @throws IllegalArgumentException if the name is missing or the filter is invalid */
    public SavedView add(String application, String name, String owner, boolean shared, String filter)
            throws SQLException {
        if (name.isBlank() || name.length() > MAX_NAME) {
            throw new IllegalArgumentException("a view needs a name of at most " + MAX_NAME + " characters");
        }
        if (filter.length() > MAX_FILTER) {
            throw new IllegalArgumentException("the filter of a view has at most " + MAX_FILTER + " characters");
        }
        return UnitOfWork.run(dataSource::getConnection, conn -> {
            SavedView view =
                    new SavedView(Ulid.next(), application, name.strip(), owner, shared, filter, flavor.clock(conn));
            FilterText.read(filter, view.createdAt());
            new Sql(
                            flavor,
                            "INSERT INTO outbox_cc_view (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?)",
                            view.id(),
                            application,
                            view.name(),
                            owner,
                            shared ? 1 : 0,
                            filter,
                            view.createdAt())
                    .update(conn);
            return view;
        });
    }

    /** Deletes only the user's own views. @return whether there was one */
    public boolean remove(String application, String id, String owner) throws SQLException {
        return UnitOfWork.run(
                        dataSource::getConnection,
                        conn -> new Sql(
                                        flavor,
                                        "DELETE FROM outbox_cc_view WHERE application = ? AND id = ? AND owner = ?",
                                        application,
                                        id,
                                        owner)
                                .update(conn))
                > 0;
    }

    private SavedView view(ResultSet row) throws SQLException {
        return new SavedView(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getInt(5) == 1,
                row.getString(6),
                flavor.time(row, 7));
    }
}
