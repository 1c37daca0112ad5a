package outbox.jdbc.store;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Names of locks for tasks on a table: databases need a number or a short name. */
final class LockName {
    private LockName() {}

    static UUID of(String... parts) {
        return UUID.nameUUIDFromBytes(("outbox/" + String.join("/", parts)).getBytes(StandardCharsets.UTF_8));
    }
}
