package outbox.jdbc.archive;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;

/** A list of ids in a statement. */
final class Ids {
    private Ids() {}

    static String condition(List<String> ids) {
        return "event_id IN (" + String.join(", ", Collections.nCopies(ids.size(), "?")) + ")";
    }

    static void bind(PreparedStatement statement, List<String> ids) throws SQLException {
        for (int i = 0; i < ids.size(); i++) {
            statement.setString(i + 1, ids.get(i));
        }
    }
}
