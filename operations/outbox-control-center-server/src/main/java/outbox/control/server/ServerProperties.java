package outbox.control.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import outbox.control.source.Application;
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
 * @param publicUrl where people reach the page, for links in alerts; ends with a slash
 * @param operationsRetention how long bulk operations are kept after their end
 * @param alerts how alerts leave the house
 * @param oidc who may do what, of those who log in by OpenID Connect
 */
@ConfigurationProperties("outbox.control-center")
public record ServerProperties(
        @DefaultValue("outbox-control") Path dataDir,
        @Nullable Database database,
        @DefaultValue Map<String, ApplicationDatabase> applications,
        @DefaultValue("false") boolean readOnly,
        @Nullable String traceLink,
        @DefaultValue List<String> masked,
        @Nullable String publicUrl,
        @DefaultValue("90d") Duration operationsRetention,
        @DefaultValue Alerts alerts,
        @DefaultValue Oidc oidc) {

    public record Database(
            String url, @Nullable String username, @Nullable String password) {}

    /**
     * @param table the outbox table
     * @param consumptionTable that of the progress of its handlers
     * @param deliveredFromLog whether a relay delivers its events from the database's log
     */
    public record ApplicationDatabase(
            String url,
            @Nullable String username,
            @Nullable String password,
            @DefaultValue(TableNames.DEFAULT_TABLE) String table,

            @DefaultValue(Application.DEFAULT_CONSUMPTION_TABLE)
            String consumptionTable,

            @DefaultValue("false") boolean deliveredFromLog) {}

    /**
     * @param allowedAddresses blocks such as {@code 10.20.0.0/16} that alerts may go to although they are private
     * @param allowHttp permits plain HTTP
     */
    public record Alerts(
            @DefaultValue List<String> allowedAddresses,
            @DefaultValue("false") boolean allowHttp,
            @Nullable Mail mail) {}

    /** The mail server of alerts. */
    public record Mail(
            String host,
            @DefaultValue("587") int port,
            String from,
            @Nullable String username,
            @Nullable String password,
            @DefaultValue("STARTTLS") Tls tls) {}

    /** How the mail server is spoken to. */
    public enum Tls {
        STARTTLS,
        TLS,
        NONE
    }

    /**
     * @param claim the claim with the groups of a person
     * @param roles by group: {@code *=admin}, or {@code orders=viewer,billing=operator}
     * @param payloads groups that may read payloads
     */
    public record Oidc(
            @DefaultValue("groups") String claim,
            @DefaultValue Map<String, String> roles,
            @DefaultValue List<String> payloads) {}
}
