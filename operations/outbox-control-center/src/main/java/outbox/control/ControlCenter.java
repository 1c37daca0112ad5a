package outbox.control;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.alert.AlertChannel;
import outbox.control.act.OperationTarget;
import outbox.control.act.Operations;
import outbox.control.alert.Alerts;
import outbox.control.alert.Readings;
import outbox.control.audit.AuditAnchor;
import outbox.control.audit.AuditKey;
import outbox.control.audit.AuditLog;
import outbox.control.live.History;
import outbox.control.live.Sampler;
import outbox.control.remote.AllowedUrls;
import outbox.control.remote.RemoteApplication;
import outbox.control.remote.RemoteSource;
import outbox.control.remote.RemoteSources;
import outbox.control.source.Application;
import outbox.control.source.AttemptReader;
import outbox.control.source.CdcReader;
import outbox.control.source.ErrorGroups;
import outbox.control.source.EventReader;
import outbox.control.source.NodeReader;
import outbox.control.view.SavedViews;
import outbox.node.db.Flavor;
import outbox.node.db.SchemaFile;
import outbox.webhook.WebhookClient;

/**
 * The control center for a set of applications; {@code outbox.control.http} serves it over HTTP. Thread-safe.
 *
 * <pre>{@code
 * ControlCenter center = ControlCenter.builder(dataSource, new AuditKey(secret))
 *     .application(Application.of("orders", dataSource))
 *     .build();
 * }</pre>
 */
public final class ControlCenter implements AutoCloseable {
    /** Values of these fields and headers are never shown. */
    public static final Set<String> DEFAULT_MASKED =
            Set.of("password", "secret", "token", "authorization", "cookie", "set-cookie", "api-key");

    /** Default sampling interval of each application. */
    public static final Duration DEFAULT_SAMPLE_INTERVAL = Duration.ofSeconds(2);

    private static final int CHECK_SECONDS = 2;

    private final Map<String, Source> sources = new LinkedHashMap<>();
    private final RemoteSources remotes;
    private final AuditLog audit;
    private final Operations operations;
    private final SavedViews views;
    private final History history;
    private final Set<String> masked;
    private final Set<String> plainMasked;
    private final boolean readOnly;
    private final @Nullable String traceLink;
    private final @Nullable String publicUrl;
    private final Alerts alerts;
    private final DataSource dataSource;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** One application with its readers. */
    public record Source(
            Application application,
            EventReader reader,
            AttemptReader attempts,
            ErrorGroups errors,
            NodeReader nodes,
            Sampler sampler,
            CdcReader cdc) {}

    private ControlCenter(Builder builder) {
        this.dataSource = builder.dataSource;
        this.history = new History(builder.dataSource);
        for (Application application : builder.applications.values()) {
            EventReader reader = new EventReader(application);
            ErrorGroups errors = new ErrorGroups(application, reader);
            NodeReader nodes = new NodeReader(application);
            Sampler sampler = new Sampler(application, reader, errors, nodes, history, builder.sampleInterval).start();
            sources.put(
                    application.name(),
                    new Source(
                            application,
                            reader,
                            new AttemptReader(application),
                            errors,
                            nodes,
                            sampler,
                            new CdcReader(application)));
        }
        this.remotes = new RemoteSources(
                sources.keySet(),
                builder.remotes.values(),
                builder.sampleInterval,
                builder.announced,
                builder.dataSource,
                new SecretKeySpec(builder.auditKey.derive("announced applications"), "AES"));
        remotes.start();
        this.audit = new AuditLog(builder.dataSource, builder.auditKey, builder.anchor, builder.clock);
        this.operations = new Operations(builder.dataSource, this::target, audit, builder.operationsKept);
        if (!builder.readOnly) {
            operations.start();
        }
        this.views = new SavedViews(builder.dataSource);
        this.masked = builder.masked;
        this.plainMasked = masked.stream().map(ControlCenter::plain).collect(Collectors.toUnmodifiableSet());
        this.readOnly = builder.readOnly;
        this.traceLink = builder.traceLink;
        this.publicUrl = builder.publicUrl;
        this.alerts = new Alerts(
                        builder.dataSource,
                        this::applications,
                        readings(),
                        new Alerts.Setup(
                                new SecretKeySpec(builder.auditKey.derive("alert channels"), "AES"),
                                builder.alertClient == null
                                        ? WebhookClient.builder().build()
                                        : builder.alertClient,
                                builder.mail,
                                builder.publicUrl,
                                builder.alertInterval))
                .start();
    }

    private Readings readings() {
        Readings direct = new SourceReadings(sources);
        Readings overHttp = new RemoteReadings(remotes);
        return (application, metric) -> (sources.containsKey(application) ? direct : overHttp).of(application, metric);
    }

    /** The names of all applications; announced ones come and go. */
    private Set<String> applications() {
        return Stream.concat(
                        sources.keySet().stream(),
                        remotes.all().stream()
                                .map(remote -> remote.application().name()))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** @param dataSource the database of the control center's own tables */
    public static Builder builder(DataSource dataSource, AuditKey auditKey) {
        return new Builder(dataSource, auditKey);
    }

    /**
     * The DDL of the control center's own tables.
     *
     * @param database {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}
     */
    public static SchemaFile schema(String database) {
        return SchemaFile.of(
                ControlCenter.class, "outbox/control/migration", database, "V20261101000006__outbox_control.sql");
    }

    public Collection<Source> sources() {
        return sources.values();
    }

    /** @return {@code null} if there is no such application */
    public @Nullable Source source(String name) {
        return sources.get(name);
    }

    /** The applications that are reached over HTTP. */
    public Collection<RemoteSource> remotes() {
        return remotes.all();
    }

    /** Whether applications may announce themselves, and those that did. */
    public RemoteSources remoteSources() {
        return remotes;
    }

    /** @return {@code null} if there is no such application, or it is not reached over HTTP */
    public @Nullable RemoteSource remote(String name) {
        return remotes.of(name);
    }

    /** Whether there is such an application, however it is reached. */
    public boolean hasApplication(String name) {
        return sources.containsKey(name) || remotes.of(name) != null;
    }

    public AuditLog audit() {
        return audit;
    }

    public Operations operations() {
        return operations;
    }

    public SavedViews views() {
        return views;
    }

    /** The metrics of past days. */
    public History history() {
        return history;
    }

    private @Nullable OperationTarget target(String name) {
        Source source = sources.get(name);
        return source == null ? null : new OperationTarget(source.application(), source.reader(), source.errors());
    }

    public Alerts alerts() {
        return alerts;
    }

    /** Names of masked fields and headers. */
    public Set<String> masked() {
        return masked;
    }

    /** Whether a field or header of this name is masked; {@code apiKey} and {@code API_KEY} are the same. */
    public boolean isMasked(String name) {
        return plainMasked.contains(plain(name));
    }

    private static String plain(String name) {
        return name.replaceAll("[-_. ]", "").toLowerCase(Locale.ROOT);
    }

    /** Whether all routes that change something are disabled. */
    public boolean isReadOnly() {
        return readOnly;
    }

    /** A URL with {@code {traceId}} in it. */
    public @Nullable String traceLink() {
        return traceLink;
    }

    /** Where the page is reached; {@code null} if it is not known. */
    public @Nullable String publicUrl() {
        return publicUrl;
    }

    /** @throws SQLException if the control center's own database cannot be reached */
    public void checkDatabase() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            if (!conn.isValid(CHECK_SECONDS)) {
                throw new SQLException("the connection to the control center's database is broken");
            }
        }
    }

    /** Stops all background work, live streams first: a stopping server waits for them. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            sources.values().forEach(source -> source.sampler().close());
            remotes.close();
            operations.close();
            alerts.close();
        }
    }

    /** Not thread-safe. */
    public static final class Builder {
        private final DataSource dataSource;
        private final AuditKey auditKey;
        private final Map<String, Application> applications = new LinkedHashMap<>();
        private final Map<String, RemoteApplication> remotes = new LinkedHashMap<>();
        private AllowedUrls announced = AllowedUrls.of(List.of());
        private AuditAnchor anchor = AuditAnchor.NONE;
        private Set<String> masked = DEFAULT_MASKED;
        private Duration sampleInterval = DEFAULT_SAMPLE_INTERVAL;
        private InstantSource clock = InstantSource.system();
        private boolean readOnly;
        private @Nullable String traceLink;
        private @Nullable WebhookClient alertClient;
        private @Nullable Function<List<String>, AlertChannel> mail;
        private @Nullable String publicUrl;
        private Duration alertInterval = Alerts.DEFAULT_INTERVAL;
        private Duration operationsKept = Operations.DEFAULT_KEPT;

        private Builder(DataSource dataSource, AuditKey auditKey) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
            this.auditKey = Objects.requireNonNull(auditKey, "auditKey");
        }

        /** @throws IllegalArgumentException if the name is already used */
        public Builder application(Application application) {
            refuseDuplicate(application.name());
            applications.put(application.name(), application);
            return this;
        }

        /**
         * An application that is reached over HTTP. Its own control center does the work and bounds the rights.
         *
         * @throws IllegalArgumentException if the name is already used
         */
        public Builder application(RemoteApplication application) {
            refuseDuplicate(application.name());
            remotes.put(application.name(), application);
            return this;
        }

        /**
         * Where applications may be that announce themselves with a token: URLs of control centers embedded in them, as
         * {@link AllowedUrls} describes. Default: none, so that none can.
         */
        public Builder announcements(Collection<String> allowedUrls) {
            this.announced = AllowedUrls.of(allowedUrls);
            return this;
        }

        private void refuseDuplicate(String name) {
            if (applications.containsKey(name) || remotes.containsKey(name)) {
                throw new IllegalArgumentException("duplicate application name '" + name + "'");
            }
        }

        /** See {@link AuditAnchor}; default: none. */
        public Builder auditAnchor(AuditAnchor anchor) {
            this.anchor = Objects.requireNonNull(anchor, "anchor");
            return this;
        }

        /** Adds fields and headers whose values are never shown; case, hyphens and underscores are ignored. */
        public Builder mask(String... names) {
            this.masked = Stream.concat(masked.stream(), Stream.of(names)).collect(Collectors.toUnmodifiableSet());
            return this;
        }

        /** Disables every route that changes something in an application. */
        public Builder readOnly(boolean readOnly) {
            this.readOnly = readOnly;
            return this;
        }

        /** A URL of the tracing system, with {@code {traceId}} in it. */
        public Builder traceLink(@Nullable String template) {
            if (template != null && !template.matches("https?://[^\\s\"'<>]+")) {
                throw new IllegalArgumentException(
                        "the trace link must be an http or https URL with {traceId} in it, not '" + template + "'");
            }
            this.traceLink = template;
            return this;
        }

        /**
         * The HTTP client for alerts; it is closed with the control center. By default it only connects to public
         * addresses over HTTPS, because users enter the URLs.
         */
        public Builder alertClient(WebhookClient alertClient) {
            this.alertClient = Objects.requireNonNull(alertClient, "alertClient");
            return this;
        }

        /** Creates a channel that sends mail to these addresses; default: no mail. */
        public Builder mail(@Nullable Function<List<String>, AlertChannel> mail) {
            this.mail = mail;
            return this;
        }

        /**
         * The public URL of the page, for links in alerts. Requests with another host name are refused, except from this
         * machine under a local name. Default: no links, and any host name.
         */
        public Builder publicUrl(@Nullable String url) {
            if (url != null && !url.matches("https?://[^\\s\"'<>#]+/")) {
                throw new IllegalArgumentException(
                        "the public URL must be http or https and end with a slash, not '" + url + "'");
            }
            this.publicUrl = url;
            return this;
        }

        /** How often alert rules are evaluated; default 10 s. */
        public Builder alertInterval(Duration alertInterval) {
            this.alertInterval = Objects.requireNonNull(alertInterval, "alertInterval");
            return this;
        }

        /** Retention of completed operations and their results; default 90 days. The audit log is not affected. */
        public Builder operationsKept(Duration operationsKept) {
            if (operationsKept.isNegative()) {
                throw new IllegalArgumentException(
                        "the retention of operations must be positive, not " + operationsKept);
            }
            this.operationsKept = operationsKept;
            return this;
        }

        public Builder sampleInterval(Duration sampleInterval) {
            this.sampleInterval = Objects.requireNonNull(sampleInterval, "sampleInterval");
            return this;
        }

        public Builder clock(InstantSource clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /**
         * Creates the control center's own tables if they are missing, and starts sampling the applications.
         *
         * @throws IllegalArgumentException if no application was added, and none may announce itself
         */
        public ControlCenter build() {
            if (applications.isEmpty() && remotes.isEmpty() && announced.isEmpty()) {
                throw new IllegalArgumentException("a control center needs at least one application(...)");
            }
            SchemaFile schema = ControlCenter.schema(Flavor.detect(dataSource).database());
            try {
                schema.apply(dataSource);
            } catch (SQLException e) {
                throw new IllegalStateException(
                        "cannot create the control center's tables: " + e.getMessage() + "; run " + schema.file()
                                + " of outbox-control-center as a user that may create tables",
                        e);
            }
            return new ControlCenter(this);
        }
    }
}
