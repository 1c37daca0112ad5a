package outbox.control.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditEntry;

/** Users and tokens as they are in their tables, and as the audit log says they should be. Used by one thread. */
final class AccountStates {
    private static final String DIGEST = " #";
    private static final int DIGEST_LENGTH = 32;
    private static final int MAX_TEXT = 1500;

    private final Map<String, String> actual = new LinkedHashMap<>();
    private final Map<String, @Nullable String> recorded = new LinkedHashMap<>();

    /** A description for people, followed by a digest of all that counts. */
    static String text(String description, Object... parts) {
        String all = Arrays.stream(parts)
                .map(part -> String.valueOf(part).length() + ":" + part)
                .collect(Collectors.joining());
        String shown = description.length() <= MAX_TEXT ? description : description.substring(0, MAX_TEXT) + "…";
        return shown + DIGEST + Accounts.sha256(all).substring(0, DIGEST_LENGTH);
    }

    void add(Accounts.StoredUser user) {
        actual.put("user " + user.user().name(), digest(user.state()));
    }

    void add(Accounts.StoredToken token) {
        actual.put("token " + token.token().id(), digest(token.state()));
    }

    /** Entries come oldest first. */
    void compare(AuditEntry entry) {
        String action = entry.action();
        if (!entry.outcome().equals("ok") || entry.target() == null) {
            return;
        }
        if (action.equals("token.revoke")) {
            recorded.put("token " + entry.target(), null);
        } else if (action.equals("token.create")) {
            recorded.put("token " + entry.target(), digest(entry.detail()));
        } else if (action.startsWith("user.") || action.equals("password.change")) {
            recorded.put("user " + entry.target(), digest(entry.detail()));
        }
    }

    private static String digest(@Nullable String state) {
        int at = state == null ? -1 : state.lastIndexOf(DIGEST);
        return state == null || at < 0 ? "" : state.substring(at + DIGEST.length());
    }

    List<String> problems() {
        List<String> problems = new ArrayList<>();
        actual.forEach((account, state) -> {
            String expected = recorded.get(account);
            if (expected == null) {
                problems.add(account + " exists, but no audit entry created it");
            } else if (!expected.equals(state)) {
                problems.add(account + " was changed without an audit entry");
            }
        });
        recorded.forEach((account, state) -> {
            if (state != null && !actual.containsKey(account)) {
                problems.add(account + " was deleted without an audit entry");
            }
        });
        return problems;
    }
}
