package outbox.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import outbox.torture.Ledger.Delivery;

/** Compares the ledger with the business table, which says what was committed. */
final class Audit {
    private final Map<String, Row> truth = new HashMap<>();
    private final Map<String, Integer> statusById = new HashMap<>();
    private final Ledger ledger;
    private final Map<String, Delivery> first;
    private final Set<String> unreplicated;
    private final List<String> complaints = new ArrayList<>();
    private long rows;

    private record Row(String eventId, String aggregate, long n, boolean deliverable) {}

    /** @param unreplicated what the database may have lost with its old primary: neither lost nor phantom */
    Audit(Database database, Ledger ledger, Set<String> unreplicated) throws SQLException {
        this.ledger = ledger;
        this.unreplicated = unreplicated;
        this.first = ledger.first();
        try (Connection conn = database.connect();
                Statement statement = conn.createStatement()) {
            readBusiness(statement);
            readOutbox(statement);
        }
    }

    private void readBusiness(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT event_id, agg, n, fate FROM torture_business")) {
            while (row.next()) {
                rows++;
                String id = row.getString(1);
                Row twin = truth.put(
                        id,
                        new Row(
                                id,
                                row.getString(2),
                                row.getLong(3),
                                row.getString(4).equals("D")));
                if (twin != null) {
                    complaints.add("two transactions committed with event id " + id);
                }
            }
        }
    }

    private void readOutbox(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT event_id, status FROM outbox_event")) {
            while (row.next()) {
                statusById.put(row.getString(1), row.getInt(2));
            }
        }
    }

    long events() {
        return rows;
    }

    /** Committed, to be delivered, and not delivered; or noted as committed and gone. */
    long lost() {
        Set<String> lost = new HashSet<>();
        for (Row row : truth.values()) {
            if (row.deliverable() && !first.containsKey(row.eventId())) {
                lost.add(row.eventId());
            }
        }
        for (String id : ledger.committed()) {
            if (!truth.containsKey(id) && !unreplicated.contains(id)) {
                lost.add(id);
                complaints.add("committed and not in the business table: " + id);
            }
        }
        some("lost", lost);
        return lost.size();
    }

    /** Delivered and never committed. */
    long phantoms() {
        Set<String> phantoms = new HashSet<>(first.keySet());
        phantoms.removeAll(truth.keySet());
        phantoms.removeAll(unreplicated);
        some("phantom", phantoms);
        return phantoms.size();
    }

    /** Counts what went with the old primary and names it in a file; what no node was told about is not counted. */
    CaseResult.Unreplicated unreplicated(Path file) throws IOException {
        Set<String> delivered = new TreeSet<>(unreplicated);
        delivered.retainAll(first.keySet());
        Set<String> known = new TreeSet<>(unreplicated);
        known.retainAll(ledger.committed());
        known.addAll(delivered);
        List<String> lines = known.stream()
                .map(id -> id + (delivered.contains(id) ? " delivered" : ""))
                .toList();
        Files.write(file, lines);
        return new CaseResult.Unreplicated(known.size(), delivered.size());
    }

    long duplicates() {
        return ledger.again().size();
    }

    void explainDuplicates() {
        Set<String> shown = new HashSet<>();
        for (Delivery delivery : ledger.again()) {
            if (shown.size() < 5 && shown.add(delivery.eventId())) {
                complaints.add("delivered again: " + delivery + " after " + first.get(delivery.eventId()));
            }
        }
    }

    /** Events whose first delivery began before the one committed before them, of the same aggregate, was delivered. */
    long orderViolations() {
        Map<String, List<Row>> byAggregate = new HashMap<>();
        for (Row row : truth.values()) {
            byAggregate
                    .computeIfAbsent(row.aggregate(), key -> new ArrayList<>())
                    .add(row);
        }
        long violations = 0;
        for (List<Row> chain : byAggregate.values()) {
            chain.sort(Comparator.comparingLong(Row::n));
            for (int i = 1; i < chain.size(); i++) {
                Delivery before = first.get(chain.get(i - 1).eventId());
                Delivery after = first.get(chain.get(i).eventId());
                if (after != null && (before == null || after.begun() < before.ended())) {
                    violations++;
                    if (violations <= 5) {
                        complaints.add("out of order: " + after + " before " + before);
                    }
                }
            }
        }
        return violations;
    }

    /** What is delivered must be DONE, what cannot be must be DEAD; a row may be gone only where purging is on. */
    List<String> complaints(boolean purged) {
        Set<String> wrong = new HashSet<>();
        for (Row row : truth.values()) {
            Integer status = statusById.get(row.eventId());
            int due = row.deliverable() ? 1 : 3;
            if (status == null ? !purged : status != due) {
                wrong.add(row.eventId() + "=" + status);
            }
        }
        some("wrong status at the end", wrong);
        return complaints;
    }

    private void some(String what, Set<String> ids) {
        if (!ids.isEmpty()) {
            complaints.add(ids.size() + " × " + what + ", such as "
                    + ids.stream().sorted().limit(3).toList());
        }
    }
}
