package outbox.jdbc.store;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** What a lock is called that stands for a duty on a table: databases want a number, or a short name. */
final class LockName {
    private LockName() {}

    static UUID of(String... parts) {
        return UUID.nameUUIDFromBytes(("outbox/" + String.join("/", parts)).getBytes(StandardCharsets.UTF_8));
    }
}
