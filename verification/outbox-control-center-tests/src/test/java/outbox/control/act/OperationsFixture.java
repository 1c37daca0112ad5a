package outbox.control.act;

import static org.awaitility.Awaitility.await;
import static outbox.control.OutboxTable.event;

import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.audit.AuditAnchor;
import outbox.control.audit.AuditKey;
import outbox.control.audit.AuditLog;
import outbox.control.source.ErrorGroups;
import outbox.control.source.EventFilter;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
import outbox.testing.server.DatabaseServer;

/** Bulk operations, with their tables in the same database as the events. */
abstract class OperationsFixture {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final int FAST = 1000;

    OutboxTable table;
    AuditLog audit;
    EventReader reader;
    Operations operations;

    abstract DatabaseServer server();

    @BeforeEach
    void start() throws SQLException {
        table = OutboxTable.pooledOn(server());
        ControlCenter.schema(table.application().flavor().database()).apply(table.dataSource());
        audit = new AuditLog(table.dataSource(), new AuditKey(new byte[32]), AuditAnchor.NONE, InstantSource.system());
        reader = new EventReader(table.application());
        operations = operations().start();
    }

    Operations operations() {
        return operations(Operations.DEFAULT_KEPT);
    }

    Operations operations(Duration kept) {
        OperationTarget target =
                new OperationTarget(table.application(), reader, new ErrorGroups(table.application(), reader));
        return new Operations(table.dataSource(), name -> name.equals("orders") ? target : null, audit, kept);
    }

    @AfterEach
    void stop() {
        operations.close();
        table.close();
    }

    List<String> dead(int count, String type, String error) throws SQLException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(table.dead(event(type, "key-" + i % 3).build(), error));
        }
        return ids;
    }

    static OperationRequest retry(String type) {
        return new OperationRequest(EventAction.RETRY, EventFilter.ALL.withType(type), List.of(), null);
    }

    Operation begin(OperationRequest request, int perSecond) throws SQLException {
        return operations.start("orders", request, "the other side is back", "anna", perSecond);
    }

    Operation awaitState(Operation operation, OperationState state) {
        await().atMost(PATIENCE)
                .until(() -> operations.get("orders", operation.id()).state() == state);
        try {
            return operations.get("orders", operation.id());
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    long count(EventState state) throws SQLException {
        return reader.counts().getOrDefault(state, 0);
    }

    List<String> items(Operation operation, String outcome) throws SQLException {
        return operations.items(operation.id(), outcome, null, 200).stream()
                .map(Operation.Item::eventId)
                .toList();
    }
}
