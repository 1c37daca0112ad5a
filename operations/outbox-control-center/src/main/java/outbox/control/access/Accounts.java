package outbox.control.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;
import outbox.util.Ulid;

/**
 * People and tokens, where the control center runs by itself. Passwords are kept as the hash of a {@link PasswordHasher},
 * tokens as a SHA-256 of their 256 random bits, which nobody guesses. Thread-safe.
 */
public final class Accounts {
    /** What tokens begin with, so that scanners for leaked secrets find them. */
    public static final String TOKEN_PREFIX = "obx_";

    public static final int MIN_PASSWORD = 12;
    private static final int MAX_PASSWORD = 200;
    private static final int MAX_CREATED_BY = 64;
    private static final Duration MAX_TOKEN_LIFE = Duration.ofDays(366);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final DataSource dataSource;
    private final Flavor flavor;
    private final PasswordHasher hasher;
    private final InstantSource clock;
    private final String nobodysHash;
    private volatile boolean hasUsers;

    /** The tables are made by the control center's builder. */
    public Accounts(DataSource dataSource, PasswordHasher hasher, InstantSource clock) {
        this.dataSource = dataSource;
        this.flavor = Flavor.detect(dataSource);
        this.hasher = new FewAtOnce(hasher);
        this.clock = clock;
        this.nobodysHash = hasher.hash("nobody has this password");
    }

    public record User(String name, Map<String, Role> roles, boolean payloads, boolean disabled, Instant createdAt) {}

    public record Token(
            String id,
            String name,
            Map<String, Role> roles,
            boolean payloads,
            String createdBy,
            Instant createdAt,
            Instant expiresAt) {}

    /** @param secret shown once, kept nowhere */
    public record NewToken(Token token, String secret) {}

    /** Whether anybody can log in yet. */
    public boolean isEmpty() throws SQLException {
        if (hasUsers) {
            return false;
        }
        try (Connection conn = dataSource.getConnection()) {
            hasUsers = new Sql(flavor, "SELECT name FROM outbox_cc_user LIMIT 1").first(conn, row -> row.getString(1))
                    != null;
        }
        return !hasUsers;
    }

    /** @throws IllegalArgumentException if the name is taken or not allowed, or the password too weak */
    public User create(String name, String password, Map<String, Role> roles, boolean payloads) throws SQLException {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "not a name for a user: '" + name
                            + "'; allowed are 1 to 64 letters, digits, dots, underscores, hyphens and @, a letter or digit first");
        }
        checkPassword(name, password);
        User user = new User(name, Map.copyOf(roles), payloads, false, clock.instant());
        String hash = hasher.hash(password);
        UnitOfWork.run(dataSource::getConnection, conn -> {
            if (find(conn, name) != null) {
                throw new IllegalArgumentException("there is a user '" + name + "' already");
            }
            return new Sql(
                            flavor,
                            "INSERT INTO outbox_cc_user (name, password_hash, roles, payloads, disabled, created_at)"
                                    + " VALUES (?, ?, ?, ?, 0, ?)",
                            name,
                            hash,
                            Roles.format(roles),
                            payloads ? 1 : 0,
                            user.createdAt())
                    .update(conn);
        });
        return user;
    }

    private static void checkPassword(String name, String password) {
        if (password.length() < MIN_PASSWORD || password.length() > MAX_PASSWORD) {
            throw new IllegalArgumentException(
                    "a password has " + MIN_PASSWORD + " to " + MAX_PASSWORD + " characters, not " + password.length());
        }
        if (password.equalsIgnoreCase(name) || password.chars().distinct().count() < 4) {
            throw new IllegalArgumentException("this password is too easy to guess");
        }
    }

    /**
     * Somebody who gave the right password.
     *
     * @param stamp what a session keeps: it is another one as soon as the password is
     */
    public record LoggedIn(Operator operator, String stamp) {}

    /** Takes as long for a name that does not exist as for one that does. @return {@code null} unless both fit */
    public @Nullable LoggedIn logIn(String name, String password) throws SQLException {
        Stored stored;
        try (Connection conn = dataSource.getConnection()) {
            stored = find(conn, name);
        }
        boolean matches = password.length() <= MAX_PASSWORD
                && hasher.matches(password, stored == null ? nobodysHash : stored.hash());
        return matches && stored != null && !stored.user().disabled()
                ? new LoggedIn(operator(stored.user()), sha256(stored.hash()))
                : null;
    }

    /**
     * As he is now: roles may have changed since he logged in.
     *
     * @return {@code null} if he may not come in any more, or his password is another one than at {@link #logIn}
     */
    public @Nullable Operator operator(String name, String stamp) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            Stored stored = find(conn, name);
            return stored == null
                            || stored.user().disabled()
                            || !sha256(stored.hash()).equals(stamp)
                    ? null
                    : operator(stored.user());
        }
    }

    private static Operator operator(User user) {
        return new Operator(user.name(), user.roles(), user.payloads());
    }

    /** Whether there is a user of that name, and so a password. */
    public boolean has(String name) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return find(conn, name) != null;
        }
    }

    public List<User> users() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return new Sql(
                            flavor,
                            "SELECT name, roles, payloads, disabled, created_at FROM outbox_cc_user ORDER BY name LIMIT 1000")
                    .query(conn, row -> user(row, 1));
        }
    }

    /** @return whether there was such a user */
    public boolean setDisabled(String name, boolean disabled) throws SQLException {
        return UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(flavor, "UPDATE outbox_cc_user SET disabled = ? WHERE name = ?", disabled ? 1 : 0, name)
                                .update(conn)
                        > 0);
    }

    /** @return whether there was such a user */
    public boolean setRoles(String name, Map<String, Role> roles, boolean payloads) throws SQLException {
        return UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(
                                        flavor,
                                        "UPDATE outbox_cc_user SET roles = ?, payloads = ? WHERE name = ?",
                                        Roles.format(roles),
                                        payloads ? 1 : 0,
                                        name)
                                .update(conn)
                        > 0);
    }

    /**
     * Another password; it ends what was logged in with the old one. Hashing takes its time, so it is done now, before
     * anybody has a transaction.
     *
     * @return sets it in a transaction of the caller, and says whether there was such a user
     * @throws IllegalArgumentException if the password is too weak
     */
    public UnitOfWork.Work<Boolean> passwordChange(String name, String password) {
        checkPassword(name, password);
        String hash = hasher.hash(password);
        return conn ->
                new Sql(flavor, "UPDATE outbox_cc_user SET password_hash = ? WHERE name = ?", hash, name).update(conn)
                        > 0;
    }

    /** @throws IllegalArgumentException if it would never expire */
    public NewToken createToken(String name, Map<String, Role> roles, boolean payloads, Duration life, String createdBy)
            throws SQLException {
        if (life.isNegative() || life.isZero() || life.compareTo(MAX_TOKEN_LIFE) > 0) {
            throw new IllegalArgumentException("a token lives for 1 to " + MAX_TOKEN_LIFE.toDays() + " days");
        }
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a name for a token: '" + name + "'");
        }
        byte[] random = new byte[32];
        RANDOM.nextBytes(random);
        String secret = TOKEN_PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        Instant now = clock.instant();
        String by = createdBy.length() <= MAX_CREATED_BY ? createdBy : createdBy.substring(0, MAX_CREATED_BY);
        Token token = new Token(Ulid.next(), name, Map.copyOf(roles), payloads, by, now, now.plus(life));
        UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(
                                flavor,
                                "INSERT INTO outbox_cc_token (id, name, secret_hash, roles, payloads, created_by,"
                                        + " created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                                token.id(),
                                name,
                                sha256(secret),
                                Roles.format(roles),
                                payloads ? 1 : 0,
                                by,
                                now,
                                token.expiresAt())
                        .update(conn));
        return new NewToken(token, secret);
    }

    /** @return {@code null} if there is no such token or its time is over */
    public @Nullable Operator tokenOwner(String secret) throws SQLException {
        if (!secret.startsWith(TOKEN_PREFIX) || secret.length() > 100) {
            return null;
        }
        try (Connection conn = dataSource.getConnection()) {
            Token token = new Sql(flavor, TOKENS + " WHERE secret_hash = ?", sha256(secret)).first(conn, this::token);
            return token == null || !token.expiresAt().isAfter(clock.instant())
                    ? null
                    : new Operator("token:" + token.name(), token.roles(), token.payloads());
        }
    }

    public List<Token> tokens() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return new Sql(flavor, TOKENS + " ORDER BY id DESC LIMIT 1000").query(conn, this::token);
        }
    }

    /** @return whether there was such a token */
    public boolean revokeToken(String id) throws SQLException {
        return UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(flavor, "DELETE FROM outbox_cc_token WHERE id = ?", id).update(conn) > 0);
    }

    private static final String TOKENS =
            "SELECT id, name, roles, payloads, created_by, created_at, expires_at FROM outbox_cc_token";

    private Token token(ResultSet row) throws SQLException {
        return new Token(
                row.getString(1),
                row.getString(2),
                Roles.parse(row.getString(3)),
                row.getInt(4) == 1,
                row.getString(5),
                flavor.time(row, 6),
                flavor.time(row, 7));
    }

    private record Stored(String hash, User user) {}

    private @Nullable Stored find(Connection conn, String name) throws SQLException {
        return new Sql(
                        flavor,
                        "SELECT password_hash, name, roles, payloads, disabled, created_at FROM outbox_cc_user"
                                + " WHERE name = ?",
                        name)
                .first(conn, row -> new Stored(row.getString(1), user(row, 2)));
    }

    private User user(ResultSet row, int first) throws SQLException {
        return new User(
                row.getString(first),
                Roles.parse(row.getString(first + 1)),
                row.getInt(first + 2) == 1,
                row.getInt(first + 3) == 1,
                flavor.time(row, first + 4));
    }

    private static String sha256(String secret) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-256", e);
        }
    }
}
