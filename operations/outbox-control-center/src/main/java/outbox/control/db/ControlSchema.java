package outbox.control.db;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** The DDL of the tables beside the outbox table, to print or to run. Immutable and thread-safe. */
public final class ControlSchema {
    private static final Pattern TABLE = Pattern.compile("(?:CREATE TABLE|INTO|ON) (outbox_\\w+)");

    private final Flavor flavor;
    private final String ddl;

    private ControlSchema(Flavor flavor, String ddl) {
        this.flavor = flavor;
        this.ddl = ddl;
    }

    /**
     * The control center's own tables.
     *
     * @param database {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}
     */
    public static ControlSchema ofControlCenter(String database) {
        return read("control.sql", Flavor.of(database));
    }

    /** What an engine writes: attempts and heartbeats. */
    public static ControlSchema ofNodes(String database) {
        return read("node.sql", Flavor.of(database));
    }

    private static ControlSchema read(String name, Flavor flavor) {
        String resource = "/outbox/control/schema/" + name;
        try (InputStream in = ControlSchema.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("outbox-control-center lacks its own resource " + resource);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("{time} is the database's type for a point in time, {options} what ends a table.", "")
                    .replace("{time} and {options} as in control.sql.", "")
                    .replace("{time}", flavor.timeType())
                    .replace(" {options}", flavor.tableOptions());
            return new ControlSchema(flavor, text);
        } catch (IOException e) {
            throw new UncheckedIOException("can not read " + resource, e);
        }
    }

    /** All of it as one text, comments included. */
    public String ddl() {
        return ddl;
    }

    /** Makes the tables that are missing. Concurrent starts may collide; the second one fails and finds them next time. */
    public void apply(DataSource dataSource) throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            List<String> missing =
                    tables().stream().filter(table -> !exists(conn, table)).toList();
            for (String sql : statements()) {
                if (missing.contains(tableOf(sql))) {
                    statement.execute(sql);
                }
            }
            if (!conn.getAutoCommit()) {
                conn.commit();
            }
        }
    }

    private List<String> statements() {
        String code = ddl.lines().filter(line -> !line.strip().startsWith("--")).collect(Collectors.joining("\n"));
        return Arrays.stream(code.split(";", -1))
                .map(String::strip)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    private List<String> tables() {
        return statements().stream().map(ControlSchema::tableOf).distinct().toList();
    }

    private static String tableOf(String sql) {
        Matcher matcher = TABLE.matcher(sql);
        if (!matcher.find()) {
            throw new IllegalStateException("no table in: " + sql);
        }
        return matcher.group(1);
    }

    private boolean exists(Connection conn, String table) {
        return Tables.exists(conn, flavor, table);
    }
}
