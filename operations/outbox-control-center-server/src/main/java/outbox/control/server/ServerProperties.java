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
import outbox.xxljob.admin.AdminApi;

/**
 * Configuration of the standalone control center.
 *
 * @param dataDir directory of the audit log key, its anchor, and the H2 database if no other is configured
 * @param database database of users, tokens and the audit log; H2 in {@code dataDir} if not set
 * @param applications by name
 * @param announcements applications that announce themselves
 * @param readOnly whether all routes that change an application are disabled
 * @param traceLink URL of the tracing system, with {@code {traceId}}
 * @param masked further fields and headers whose values are never shown
 * @param publicUrl public URL of the page, for links in alerts; ends with a slash. Requests to other host names are
 *     refused
 * @param trustedProxies addresses or CIDR blocks of proxies whose headers {@code X-Forwarded-*} are applied
 * @param operationsRetention retention of completed bulk operations
 * @param bodyTimeout time within which the body of a request must be complete
 * @param alerts outgoing connections of alerts
 * @param oidc roles of users who log in with OpenID Connect
 */
@ConfigurationProperties("outbox.control-center")
public record ServerProperties(
        @DefaultValue("outbox-control") Path dataDir,
        @Nullable Database database,
        @DefaultValue Map<String, ApplicationAccess> applications,
        @DefaultValue Announcements announcements,
        @DefaultValue("false") boolean readOnly,
        @Nullable String traceLink,
        @DefaultValue List<String> masked,
        @Nullable String publicUrl,
        @DefaultValue List<String> trustedProxies,
        @DefaultValue("90d") Duration operationsRetention,
        @DefaultValue("10s") Duration bodyTimeout,
        @DefaultValue Alerts alerts,
        @DefaultValue Oidc oidc) {

    /**
     * @param allowedUrls URLs of embedded control centers that may be announced, such as {@code
     *     https://*.internal/outbox}; none if not set
     */
    public record Announcements(@DefaultValue List<String> allowedUrls) {}

    public record Database(
            String url, @Nullable String username, @Nullable String password) {}

    /**
     * How an application is reached: by its database, or over HTTP by the API of the control center embedded in it.
     *
     * @param url of its database
     * @param table the outbox table; default {@value TableNames#DEFAULT_TABLE}
     * @param consumptionTable the handler progress table; default {@value Application#DEFAULT_CONSUMPTION_TABLE}
     * @param deliveredFromLog whether its events are delivered by CDC; default false
     * @param xxlJob where its jobs are; no jobs are shown if not set
     * @param apiUrl of the embedded control center, such as {@code https://orders.internal/outbox}
     * @param token an API token of the embedded control center
     * @param apiApplication name of the application in the embedded control center; default: the same name
     * @param apiTimeout for a complete answer of the API; default 15 s
     */
    public record ApplicationAccess(
            @Nullable String url,
            @Nullable String username,
            @Nullable String password,
            @Nullable String table,
            @Nullable String consumptionTable,
            @Nullable Boolean deliveredFromLog,
            @Nullable XxlJob xxlJob,
            @Nullable String apiUrl,
            @Nullable String token,
            @Nullable String apiApplication,
            @Nullable Duration apiTimeout) {

        /** Without secrets. */
        @Override
        public String toString() {
            return apiUrl == null ? "by its database" : "over HTTP";
        }
    }

    /**
     * The XXL-Job admin of an application.
     *
     * @param adminAddresses comma-separated URLs of the admins
     * @param username user of the admin who may manage the executor group
     * @param accessToken required for the API FROM_3_5
     * @param adminApi generation of the admin's API
     * @param appName name of the executor; the name of the application if not set
     * @param instance name of the outbox, if the application has several
     */
    public record XxlJob(
            String adminAddresses,
            String username,
            String password,
            @Nullable String accessToken,
            @DefaultValue("AUTO") AdminApi adminApi,
            @Nullable String appName,
            @DefaultValue("") String instance) {}

    /**
     * @param allowedAddresses private CIDR blocks, such as {@code 10.20.0.0/16}, that alerts may connect to
     * @param allowHttp whether plain HTTP is allowed
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

    /** TLS mode of the SMTP connection. */
    public enum Tls {
        STARTTLS,
        TLS,
        NONE
    }

    /**
     * @param claim the claim with the groups of a user
     * @param roles by group: {@code *=admin}, or {@code orders=viewer,billing=operator}
     * @param payloads groups that may read payloads
     * @param clones groups that may clone events, where their role is at least operator
     */
    public record Oidc(
            @DefaultValue("groups") String claim,
            @DefaultValue Map<String, String> roles,
            @DefaultValue List<String> payloads,
            @DefaultValue List<String> clones) {}
}
