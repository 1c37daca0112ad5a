package outbox.torture.cases;

import outbox.torture.Arena;
import outbox.torture.TortureCase;
import outbox.torture.worker.Node;

/** A table of which a migration was forgotten: the node refuses to start and says what is missing. */
public final class MissingColumn implements TortureCase {
    @Override
    public String name() {
        return "missing-column";
    }

    @Override
    public String what() {
        return "a table with a missing column";
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        for (String column : new String[] {"locked_at", "tenant_id"}) {
            arena.database().execute("ALTER TABLE outbox_event DROP COLUMN " + column);
            arena.fault();
            try (Node node = new Node(arena.named("refused-" + column, arena.undisturbed()), line -> {})) {
                node.start();
                arena.expect(false, "started without the column " + column);
            } catch (IllegalStateException e) {
                String message = String.valueOf(e.getMessage());
                arena.expect(
                        message.contains("outbox_event") && message.contains(column), "does not say which: " + message);
            }
        }
    }
}
