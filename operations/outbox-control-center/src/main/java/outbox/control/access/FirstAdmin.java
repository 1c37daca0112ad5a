package outbox.control.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The one-time setup token for the first admin, printed when the control center starts without users. Thread-safe.
 */
public final class FirstAdmin {
    private final Accounts accounts;
    private @Nullable String token; // guarded by this

    private FirstAdmin(Accounts accounts, @Nullable String token) {
        this.accounts = accounts;
        this.token = token;
    }

    public static FirstAdmin of(Accounts accounts) throws SQLException {
        if (!accounts.isEmpty()) {
            return new FirstAdmin(accounts, null);
        }
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        return new FirstAdmin(accounts, Base64.getUrlEncoder().withoutPadding().encodeToString(random));
    }

    /** @return {@code null} if it was used or never needed */
    public synchronized @Nullable String token() {
        return token;
    }

    /**
     * @return {@code null} if the token is not the right one
     * @throws IllegalArgumentException if name or password is invalid; the token can be used again
     */
    public synchronized Accounts.@Nullable User create(String given, String name, String password, Actor by)
            throws SQLException {
        if (token == null
                || !MessageDigest.isEqual(
                        given.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8))) {
            return null;
        }
        if (!accounts.isEmpty()) {
            token = null;
            return null;
        }
        Accounts.User user = accounts.create(name, password, Rights.everything(), by);
        token = null;
        return user;
    }
}
