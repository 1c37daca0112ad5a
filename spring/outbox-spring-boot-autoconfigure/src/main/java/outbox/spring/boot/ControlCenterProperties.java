package outbox.spring.boot;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import outbox.control.access.Role;
import outbox.control.act.Operations;
import outbox.node.AttemptRecorder;
import outbox.node.Heartbeat;

/** The control center inside this application; nothing of it is there without {@code outbox-control-center}. */
@ConfigurationProperties("outbox.control-center")
public class ControlCenterProperties {
    /** Whether the page and its API are served. */
    private boolean enabled = true;

    /** Where they are. */
    private String path = "/outbox";

    /** At least 32 random bytes in Base64: the key of the audit log. Without it the page is not served. */
    private @Nullable String secret;

    /** A file that keeps the end of the audit log: an older copy of the log put back is noticed. Not shared by nodes. */
    private @Nullable Path auditAnchor;

    /** Which role of the application is what here, outbox.control-center.roles.OPS=operator for instance. */
    private Map<String, Role> roles = new LinkedHashMap<>();

    /** Roles of the application that may read payloads. */
    private List<String> payloads = new ArrayList<>();

    /** API tokens for the command line and scripts, by name: outbox.control-center.tokens.ci.secret for example. */
    private Map<String, Token> tokens = new LinkedHashMap<>();

    /** Outbox instance whose database holds the control center's own tables; required with several and no primary. */
    private @Nullable String home;

    /** Serves the page without Spring Security, to this machine alone. Not behind a proxy on the same machine. */
    private boolean allowWithoutSecurity;

    /** Takes the routes away that change something. */
    private boolean readOnly;

    /** A URL of the tracing system with {traceId} in it. */
    private @Nullable String traceLink;

    /** Where people reach the page, for links in alerts; ends with a slash. */
    private @Nullable String publicUrl;

    /** How long bulk operations are kept after their end. */
    private Duration operationsKept = Operations.DEFAULT_KEPT;

    /** How alerts leave the house. */
    @NestedConfigurationProperty
    private ControlCenterAlerts alerts = new ControlCenterAlerts();

    /** More fields and headers whose values are not shown. */
    private List<String> masked = new ArrayList<>();

    /** Whether failed attempts are recorded in the table outbox_attempt. */
    private boolean recordAttempts = true;

    /** How long failed attempts are kept. */
    private Duration attemptsKept = AttemptRecorder.DEFAULT_KEPT;

    /** How often this node says that it lives; zero for never. */
    private Duration heartbeat = Heartbeat.DEFAULT_INTERVAL;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getPath() {
        return path;
    }

    public void setPath(String path) {
        this.path = path;
    }

    public @Nullable String getSecret() {
        return secret;
    }

    public void setSecret(@Nullable String secret) {
        this.secret = secret;
    }

    public @Nullable Path getAuditAnchor() {
        return auditAnchor;
    }

    public void setAuditAnchor(@Nullable Path auditAnchor) {
        this.auditAnchor = auditAnchor;
    }

    public Map<String, Role> getRoles() {
        return roles;
    }

    public void setRoles(Map<String, Role> roles) {
        this.roles = roles;
    }

    public List<String> getPayloads() {
        return payloads;
    }

    public void setPayloads(List<String> payloads) {
        this.payloads = payloads;
    }

    public Map<String, Token> getTokens() {
        return tokens;
    }

    public void setTokens(Map<String, Token> tokens) {
        this.tokens = tokens;
    }

    public @Nullable String getHome() {
        return home;
    }

    public void setHome(@Nullable String home) {
        this.home = home;
    }

    public boolean isAllowWithoutSecurity() {
        return allowWithoutSecurity;
    }

    public void setAllowWithoutSecurity(boolean allowWithoutSecurity) {
        this.allowWithoutSecurity = allowWithoutSecurity;
    }

    public boolean isReadOnly() {
        return readOnly;
    }

    public void setReadOnly(boolean readOnly) {
        this.readOnly = readOnly;
    }

    public @Nullable String getTraceLink() {
        return traceLink;
    }

    public void setTraceLink(@Nullable String traceLink) {
        this.traceLink = traceLink;
    }

    public @Nullable String getPublicUrl() {
        return publicUrl;
    }

    public void setPublicUrl(@Nullable String publicUrl) {
        this.publicUrl = publicUrl;
    }

    public Duration getOperationsKept() {
        return operationsKept;
    }

    public void setOperationsKept(Duration operationsKept) {
        this.operationsKept = operationsKept;
    }

    public ControlCenterAlerts getAlerts() {
        return alerts;
    }

    public void setAlerts(ControlCenterAlerts alerts) {
        this.alerts = alerts;
    }

    public List<String> getMasked() {
        return masked;
    }

    public void setMasked(List<String> masked) {
        this.masked = masked;
    }

    public boolean isRecordAttempts() {
        return recordAttempts;
    }

    public void setRecordAttempts(boolean recordAttempts) {
        this.recordAttempts = recordAttempts;
    }

    public Duration getAttemptsKept() {
        return attemptsKept;
    }

    public void setAttemptsKept(Duration attemptsKept) {
        this.attemptsKept = attemptsKept;
    }

    public Duration getHeartbeat() {
        return heartbeat;
    }

    public void setHeartbeat(Duration heartbeat) {
        this.heartbeat = heartbeat;
    }

    /** An API token. */
    public static class Token {
        /** Secret that a request sends as "Authorization: Bearer"; at least 32 random characters. */
        private @Nullable String secret;

        /** Role of whoever sends it. */
        private Role role = Role.VIEWER;

        /** Whether it may read payloads. */
        private boolean payloads;

        public @Nullable String getSecret() {
            return secret;
        }

        public void setSecret(@Nullable String secret) {
            this.secret = secret;
        }

        public Role getRole() {
            return role;
        }

        public void setRole(Role role) {
            this.role = role;
        }

        public boolean isPayloads() {
            return payloads;
        }

        public void setPayloads(boolean payloads) {
            this.payloads = payloads;
        }
    }
}
