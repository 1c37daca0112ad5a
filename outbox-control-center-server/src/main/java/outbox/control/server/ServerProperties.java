package outbox.control.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import outbox.jdbc.TableNames;

/**
 * What the control center shows, and where it keeps its own things.
 *
 * @param dataDir holds the key of the audit log, its anchor, and the database if no other is named
 * @param database where users, tokens and the audit log are; H2 in {@code dataDir} if not set
 * @param applications by name
 * @param readOnly takes every route away that changes an application
 * @param traceLink a URL with {@code {traceId}} in it
 * @param masked fields and headers whose values are not shown, beside those that never are
 */
@ConfigurationProperties("outbox.control")
public record ServerProperties(
        @DefaultValue("outbox-control") Path dataDir,
        @Nullable Database database,
        @DefaultValue Map<String, ApplicationDatabase> applications,
        @DefaultValue("false") boolean readOnly,
        @Nullable String traceLink,
        @DefaultValue List<String> masked) {

    public record Database(
            String url, @Nullable String username, @Nullable String password) {}

    /** @param table the outbox table */
    public record ApplicationDatabase(
            String url,
            @Nullable String username,
            @Nullable String password,
            @DefaultValue(TableNames.DEFAULT_TABLE) String table) {}
}
