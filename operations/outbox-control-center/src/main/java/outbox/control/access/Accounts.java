package outbox.control.access;

import java.io.IOException;
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
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditLog;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.util.Ulid;

/**
 * Users and tokens of a standalone control center. Each change and its audit entry are one transaction. Passwords are
 * stored as hashes of a {@link PasswordHasher}, tokens as the SHA-256 of 256 random bits. Thread-safe.
 */
public final class Accounts {
    /** Prefix of tokens, so that secret scanners recognize them. */
    public static final String TOKEN_PREFIX = "obx_";

    public static final int MIN_PASSWORD = 12;
    public static final Duration MAX_TOKEN_LIFE = Duration.ofDays(366);
    private static final int MAX_PASSWORD = 200;
    private static final int MAX_CREATED_BY = 64;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final DataSource dataSource;
    private final AuditLog audit;
    private final Flavor flavor;
    private final PasswordHasher hasher;
    private final InstantSource clock;
    private final String nobodysHash;
    private volatile boolean hasUsers;

    /**
     * The tables are created by the control center's builder.
     *
     * @param audit in the same database: a change and its entry are one transaction
     */
    public Accounts(DataSource dataSource, AuditLog audit, PasswordHasher hasher, InstantSource clock) {
        this.dataSource = dataSource;
        this.audit = audit;
        this.flavor = Flavor.detect(dataSource);
        this.hasher = new LimitedPasswordHasher(hasher);
        this.clock = clock;
        this.nobodysHash = hasher.hash("nobody has this password");
    }

    public record User(
            String name,
            Map<String, Role> roles,
            boolean payloads,
            boolean clones,
            boolean disabled,
            Instant createdAt) {
        Rights rights() {
            return new Rights(roles, payloads, clones);
        }
    }

    public record Token(
            String id,
            String name,
            Map<String, Role> roles,
            boolean payloads,
            boolean clones,
            String createdBy,
            Instant createdAt,
            Instant expiresAt) {
        Rights rights() {
            return new Rights(roles, payloads, clones);
        }
    }

    /** @param secret shown once, never stored */
    public record NewToken(Token token, String secret) {}

    /** The name of a user as it is stored: {@code vera} and {@code VERA} are one user. */
    public static String canonical(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /** Whether there are any users yet. */
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
    public User create(String given, String password, Rights rights, Actor by) throws SQLException {
        String name = canonical(given);
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "invalid user name '" + name
                            + "'; allowed are 1 to 64 letters, digits, dots, underscores, hyphens and @, a letter or digit first");
        }
        checkPassword(name, password);
        String hash = hasher.hash(password);
        return audit.add(
                        conn -> {
                            if (find(conn, name) != null) {
                                throw new IllegalArgumentException("there is a user '" + name + "' already");
                            }
                            new Sql(
                                            flavor,
                                            "INSERT INTO outbox_cc_user (name, password_hash, roles, payloads, clones, disabled,"
                                                    + " created_at) VALUES (?, ?, ?, ?, ?, 0, ?)",
                                            name,
                                            hash,
                                            Roles.format(rights.roles()),
                                            rights.payloads() ? 1 : 0,
                                            rights.clones() ? 1 : 0,
                                            clock.instant())
                                    .update(conn);
                            return existing(conn, name);
                        },
                        made -> note(by, "user.create", made))
                .user();
    }

    private static AuditLog.Note note(Actor by, String action, StoredUser user) {
        return new AuditLog.Note(
                by.name(), by.address(), action, null, user.user().name(), "ok", user.state());
    }

    /** @throws NoSuchElementException if there is no such user */
    private StoredUser existing(Connection conn, String name) throws SQLException {
        StoredUser user = find(conn, name);
        if (user == null) {
            throw new NoSuchElementException("there is no user '" + name + "'");
        }
        return user;
    }

    private static void checkPassword(String name, String password) {
        if (password.length() < MIN_PASSWORD || password.length() > MAX_PASSWORD) {
            throw new IllegalArgumentException("a password must have " + MIN_PASSWORD + " to " + MAX_PASSWORD
                    + " characters, not " + password.length());
        }
        if (password.equalsIgnoreCase(name) || password.chars().distinct().count() < 4) {
            throw new IllegalArgumentException("this password is too easy to guess");
        }
    }

    /**
     * A user whose password was verified.
     *
     * @param stamp stored in the session; it changes with the password
     */
    public record LoggedIn(Operator operator, String stamp) {}

    /** Takes equally long for existing and unknown names. @return {@code null} unless name and password are correct */
    public @Nullable LoggedIn logIn(String name, String password) throws SQLException {
        StoredUser stored;
        try (Connection conn = dataSource.getConnection()) {
            stored = find(conn, canonical(name));
        }
        boolean matches = password.length() <= MAX_PASSWORD
                && hasher.matches(password, stored == null ? nobodysHash : stored.hash());
        return matches && stored != null && !stored.user().disabled()
                ? new LoggedIn(operator(stored.user()), sha256(stored.hash()))
                : null;
    }

    /**
     * The current state of a logged-in user, whose roles may have changed.
     *
     * @return {@code null} if the user was disabled, or the password has changed since {@link #logIn}
     */
    public @Nullable Operator operator(String name, String stamp) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            StoredUser stored = find(conn, canonical(name));
            return stored == null
                            || stored.user().disabled()
                            || !sha256(stored.hash()).equals(stamp)
                    ? null
                    : operator(stored.user());
        }
    }

    private static Operator operator(User user) {
        return new Operator(user.name(), user.rights());
    }

    /** Whether there is a user of that name, with a password. */
    public boolean has(String name) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return find(conn, canonical(name)) != null;
        }
    }

    public List<User> users() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return new Sql(
                            flavor,
                            "SELECT name, roles, payloads, clones, disabled, created_at FROM outbox_cc_user ORDER BY name LIMIT 1000")
                    .query(conn, row -> user(row, 1));
        }
    }

    /** @throws NoSuchElementException if there is no such user */
    public User setDisabled(String name, boolean disabled, Actor by) throws SQLException {
        return change(name, disabled ? "user.disable" : "user.enable", by, "disabled = ?", disabled ? 1 : 0);
    }

    /** @throws NoSuchElementException if there is no such user */
    public User setRights(String name, Rights rights, Actor by) throws SQLException {
        return change(
                name,
                "user.change",
                by,
                "roles = ?, payloads = ?, clones = ?",
                Roles.format(rights.roles()),
                rights.payloads() ? 1 : 0,
                rights.clones() ? 1 : 0);
    }

    /**
     * Ends all sessions of the user.
     *
     * @throws IllegalArgumentException if the password is too weak
     * @throws NoSuchElementException if there is no such user
     */
    public User setPassword(String name, String password, Actor by) throws SQLException {
        checkPassword(name, password);
        boolean own = by.name().equals(canonical(name));
        return change(name, own ? "password.change" : "user.password", by, "password_hash = ?", hasher.hash(password));
    }

    private User change(String name, String action, Actor by, String columns, Object... values) throws SQLException {
        String stored = canonical(name);
        return audit.add(
                        conn -> {
                            new Sql(flavor, "UPDATE outbox_cc_user SET " + columns, values)
                                    .add(" WHERE name = ?", stored)
                                    .update(conn);
                            return existing(conn, stored);
                        },
                        changed -> note(by, action, changed))
                .user();
    }

    /** @throws IllegalArgumentException if it would never expire */
    public NewToken createToken(String name, Rights rights, Duration life, Actor by) throws SQLException {
        if (life.isNegative() || life.isZero() || life.compareTo(MAX_TOKEN_LIFE) > 0) {
            throw new IllegalArgumentException("a token must expire after 1 to " + MAX_TOKEN_LIFE.toDays() + " days");
        }
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("invalid token name '" + name + "'");
        }
        byte[] random = new byte[32];
        RANDOM.nextBytes(random);
        String secret = TOKEN_PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        Instant now = clock.instant();
        String id = Ulid.next();
        StoredToken made = audit.add(
                conn -> {
                    new Sql(
                                    flavor,
                                    "INSERT INTO outbox_cc_token (id, name, secret_hash, roles, payloads, clones,"
                                            + " created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                    id,
                                    name,
                                    sha256(secret),
                                    Roles.format(rights.roles()),
                                    rights.payloads() ? 1 : 0,
                                    rights.clones() ? 1 : 0,
                                    by.name().substring(0, Math.min(by.name().length(), MAX_CREATED_BY)),
                                    now,
                                    now.plus(life))
                            .update(conn);
                    return Objects.requireNonNull(
                            new Sql(flavor, TOKENS + " WHERE id = ?", id).first(conn, this::token));
                },
                token -> new AuditLog.Note(by.name(), by.address(), "token.create", null, id, "ok", token.state()));
        return new NewToken(made.token(), secret);
    }

    /** @return {@code null} if there is no such token or it has expired */
    public @Nullable Operator tokenOwner(String secret) throws SQLException {
        if (!secret.startsWith(TOKEN_PREFIX) || secret.length() > 100) {
            return null;
        }
        try (Connection conn = dataSource.getConnection()) {
            StoredToken stored =
                    new Sql(flavor, TOKENS + " WHERE secret_hash = ?", sha256(secret)).first(conn, this::token);
            return stored == null || !stored.token().expiresAt().isAfter(clock.instant())
                    ? null
                    : new Operator(
                            "token:" + stored.token().name(), stored.token().rights());
        }
    }

    public List<Token> tokens() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return new Sql(flavor, TOKENS + " ORDER BY id DESC LIMIT 1000")
                    .query(conn, row -> token(row).token());
        }
    }

    /** @throws NoSuchElementException if there is no such token */
    public void revokeToken(String id, Actor by) throws SQLException {
        audit.add(
                conn -> {
                    if (new Sql(flavor, "DELETE FROM outbox_cc_token WHERE id = ?", id).update(conn) == 0) {
                        throw new NoSuchElementException("there is no token " + id);
                    }
                    return id;
                },
                gone -> new AuditLog.Note(by.name(), by.address(), "token.revoke", null, gone, "ok", null));
    }

    /**
     * Compares users and tokens with the last audit entry of each of them, which contains a digest of its name, hash,
     * rights and state.
     *
     * @return what was changed without an audit entry
     */
    public List<String> verify() throws SQLException, IOException {
        List<String> problems = differences();
        if (!problems.isEmpty()) { // an account may have been changed between the two queries
            problems.retainAll(differences());
        }
        return problems;
    }

    private List<String> differences() throws SQLException, IOException {
        AccountStates states = new AccountStates();
        try (Connection conn = dataSource.getConnection()) {
            new Sql(flavor, USERS).query(conn, this::storedUser).forEach(states::add);
            new Sql(flavor, TOKENS).query(conn, this::token).forEach(states::add);
        }
        audit.export(states::compare);
        return states.problems();
    }

    private static final String USERS =
            "SELECT password_hash, name, roles, payloads, clones, disabled, created_at FROM outbox_cc_user";

    private static final String TOKENS =
            "SELECT id, name, roles, payloads, clones, created_by, created_at, expires_at, secret_hash"
                    + " FROM outbox_cc_token";

    private StoredToken token(ResultSet row) throws SQLException {
        Token token = new Token(
                row.getString(1),
                row.getString(2),
                Roles.parse(row.getString(3)),
                row.getInt(4) == 1,
                row.getInt(5) == 1,
                row.getString(6),
                flavor.time(row, 7),
                flavor.time(row, 8));
        return new StoredToken(row.getString(9), token);
    }

    /** @param hash of the password */
    record StoredUser(String hash, User user) {
        /** For the audit log. */
        String state() {
            return AccountStates.text(
                    user.rights() + (user.disabled() ? " disabled" : ""),
                    user.name(),
                    hash,
                    user.rights(),
                    user.disabled());
        }
    }

    /** @param hash of the secret */
    record StoredToken(String hash, Token token) {
        /** For the audit log. */
        String state() {
            return AccountStates.text(
                    token.name() + ": " + token.rights() + ", until " + token.expiresAt(),
                    token.id(),
                    token.name(),
                    hash,
                    token.rights(),
                    token.expiresAt().getEpochSecond());
        }
    }

    private @Nullable StoredUser find(Connection conn, String name) throws SQLException {
        return new Sql(flavor, USERS + " WHERE name = ?", name).first(conn, this::storedUser);
    }

    private StoredUser storedUser(ResultSet row) throws SQLException {
        return new StoredUser(row.getString(1), user(row, 2));
    }

    private User user(ResultSet row, int first) throws SQLException {
        return new User(
                row.getString(first),
                Roles.parse(row.getString(first + 1)),
                row.getInt(first + 2) == 1,
                row.getInt(first + 3) == 1,
                row.getInt(first + 4) == 1,
                flavor.time(row, first + 5));
    }

    static String sha256(String secret) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-256", e);
        }
    }
}
