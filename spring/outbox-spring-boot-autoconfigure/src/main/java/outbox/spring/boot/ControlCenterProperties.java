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

/** The embedded control center; only used with {@code outbox-control-center}. */
@ConfigurationProperties("outbox.control-center")
public class ControlCenterProperties {
    /** Whether to serve the control center's page and API in this application. */
    private boolean enabled = true;

    /** Path of the control center. */
    private String path = "/outbox";

    /** Key that signs the audit log: at least 32 random bytes in Base64. Required to serve the page. */
    private @Nullable String secret;

    /**
     * File that stores the end of the audit log, so that a restored older copy of the log is detected. Each node needs its
     * own. If not set, there is no such file.
     */
    private @Nullable Path auditAnchor;

    /**
     * Roles of the application mapped to roles of the control center, for example
     * outbox.control-center.roles.OPS=operator.
     */
    private Map<String, Role> roles = new LinkedHashMap<>();

    /** Roles of the application that may read payloads. */
    private List<String> payloads = new ArrayList<>();

    /** Roles of the application that may clone events, where their role is at least operator. */
    private List<String> clones = new ArrayList<>();

    /** API tokens for the command line and scripts, by name, for example outbox.control-center.tokens.ci.secret. */
    private Map<String, Token> tokens = new LinkedHashMap<>();

    /**
     * Outbox instance whose database holds the control center's own tables. Required with several instances and no
     * primary.
     */
    private @Nullable String home;

    /**
     * Whether to serve the page without Spring Security, to requests from this machine only. Do not use behind a local
     * proxy.
     */
    private boolean allowWithoutSecurity;

    /** Whether to remove all routes that change events or settings. */
    private boolean readOnly;

    /** URL of a trace in your tracing system, with the placeholder {traceId}. If not set, there are no links to traces. */
    private @Nullable String traceLink;

    /**
     * Public URL of the page for links in alerts, with a slash at its end. Requests for the page under another host name
     * are refused. If not set, alerts have no links, and the page has any name.
     */
    private @Nullable String publicUrl;

    /** How long to keep bulk operations after they have ended. */
    private Duration operationsRetention = Operations.DEFAULT_KEPT;

    /** Delivery of alerts. */
    @NestedConfigurationProperty
    private ControlCenterAlerts alerts = new ControlCenterAlerts();

    /** Announcement to a control center server. */
    @NestedConfigurationProperty
    private ControlCenterAnnounce announce = new ControlCenterAnnounce();

    /** Names of further payload fields and headers whose values are masked. */
    private List<String> masked = new ArrayList<>();

    /** Whether to record failed attempts in the table outbox_attempt. */
    private boolean recordAttempts = true;

    /** How long to keep recorded failed attempts. */
    private Duration attemptsRetention = AttemptRecorder.DEFAULT_KEPT;

    /** Interval between heartbeats of this node. Zero switches heartbeats off. */
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

    public List<String> getClones() {
        return clones;
    }

    public void setClones(List<String> clones) {
        this.clones = clones;
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

    public Duration getOperationsRetention() {
        return operationsRetention;
    }

    public void setOperationsRetention(Duration operationsRetention) {
        this.operationsRetention = operationsRetention;
    }

    public ControlCenterAlerts getAlerts() {
        return alerts;
    }

    public void setAlerts(ControlCenterAlerts alerts) {
        this.alerts = alerts;
    }

    public ControlCenterAnnounce getAnnounce() {
        return announce;
    }

    public void setAnnounce(ControlCenterAnnounce announce) {
        this.announce = announce;
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

    public Duration getAttemptsRetention() {
        return attemptsRetention;
    }

    public void setAttemptsRetention(Duration attemptsRetention) {
        this.attemptsRetention = attemptsRetention;
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

        /** Role of requests with this token. */
        private Role role = Role.VIEWER;

        /** Whether requests with this token may read payloads. */
        private boolean payloads;

        /** Whether requests with this token may clone events. Requires the role operator or admin. */
        private boolean clones;

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

        public boolean isClones() {
            return clones;
        }

        public void setClones(boolean clones) {
            this.clones = clones;
        }
    }
}
