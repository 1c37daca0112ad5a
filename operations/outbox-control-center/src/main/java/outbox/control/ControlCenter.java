package outbox.control;

import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
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
import outbox.control.audit.AuditAnchor;
import outbox.control.audit.AuditKey;
import outbox.control.audit.AuditLog;
import outbox.control.live.Sampler;
import outbox.control.source.Application;
import outbox.control.source.AttemptReader;
import outbox.control.source.ErrorGroups;
import outbox.control.source.EventReader;
import outbox.control.source.NodeReader;
import outbox.control.view.SavedViews;
import outbox.node.db.Flavor;
import outbox.node.db.SchemaFile;
import outbox.webhook.WebhookClient;

/**
 * What an operator can see and do, for a number of applications. The servlet of {@code outbox.control.http} shows it.
 * Thread-safe.
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

    /** How often each application is looked at. */
    public static final Duration DEFAULT_SAMPLE_INTERVAL = Duration.ofSeconds(2);

    private final Map<String, Source> sources = new LinkedHashMap<>();
    private final AuditLog audit;
    private final Operations operations;
    private final SavedViews views;
    private final Set<String> masked;
    private final Set<String> plainMasked;
    private final boolean readOnly;
    private final @Nullable String traceLink;
    private final Alerts alerts;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** One application with what reads it. */
    public record Source(
            Application application,
            EventReader reader,
            AttemptReader attempts,
            ErrorGroups errors,
            NodeReader nodes,
            Sampler sampler) {}

    private ControlCenter(Builder builder) {
        for (Application application : builder.applications.values()) {
            EventReader reader = new EventReader(application);
            ErrorGroups errors = new ErrorGroups(application, reader);
            Sampler sampler = new Sampler(application, reader, errors, builder.sampleInterval).start();
            sources.put(
                    application.name(),
                    new Source(
                            application,
                            reader,
                            new AttemptReader(application),
                            errors,
                            new NodeReader(application),
                            sampler));
        }
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
        this.alerts = new Alerts(
                        builder.dataSource,
                        sources.keySet(),
                        new SourceReadings(sources),
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

    /** @param dataSource where the control center keeps its own tables */
    public static Builder builder(DataSource dataSource, AuditKey auditKey) {
        return new Builder(dataSource, auditKey);
    }

    /**
     * The DDL of the control center's own tables.
     *
     * @param database {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}
     */
    public static SchemaFile schema(String database) {
        return SchemaFile.of(ControlCenter.class, "outbox/control/migration", database, "V1_5__outbox_control.sql");
    }

    public Collection<Source> sources() {
        return sources.values();
    }

    /** @return {@code null} if there is no such application */
    public @Nullable Source source(String name) {
        return sources.get(name);
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

    private @Nullable OperationTarget target(String name) {
        Source source = sources.get(name);
        return source == null ? null : new OperationTarget(source.application(), source.reader(), source.errors());
    }

    public Alerts alerts() {
        return alerts;
    }

    /** The names whose values are not shown. */
    public Set<String> masked() {
        return masked;
    }

    /** Whether the value of a field or a header of this name is not shown, written {@code apiKey} or {@code API_KEY}. */
    public boolean isMasked(String name) {
        return plainMasked.contains(plain(name));
    }

    private static String plain(String name) {
        return name.replaceAll("[-_. ]", "").toLowerCase(Locale.ROOT);
    }

    /** Whether there are no routes that change anything. */
    public boolean isReadOnly() {
        return readOnly;
    }

    /** A URL with {@code {traceId}} in it. */
    public @Nullable String traceLink() {
        return traceLink;
    }

    /** Ends all that runs by itself: streams of open pages first, since a server that stops waits for them. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            sources.values().forEach(source -> source.sampler().close());
            operations.close();
            alerts.close();
        }
    }

    /** Not thread-safe. */
    public static final class Builder {
        private final DataSource dataSource;
        private final AuditKey auditKey;
        private final Map<String, Application> applications = new LinkedHashMap<>();
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

        /** @throws IllegalArgumentException if there is one of that name already */
        public Builder application(Application application) {
            if (applications.putIfAbsent(application.name(), application) != null) {
                throw new IllegalArgumentException("two applications are called '" + application.name() + "'");
            }
            return this;
        }

        /** See {@link AuditAnchor}; default: none. */
        public Builder auditAnchor(AuditAnchor anchor) {
            this.anchor = Objects.requireNonNull(anchor, "anchor");
            return this;
        }

        /** More fields and headers whose values are never shown, whatever their case and with or without hyphens. */
        public Builder mask(String... names) {
            this.masked = Stream.concat(masked.stream(), Stream.of(names)).collect(Collectors.toUnmodifiableSet());
            return this;
        }

        /** Takes away every route that changes something in an application. */
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
         * Through which alerts go; it is closed with the control center. Default: one that reaches public addresses by
         * HTTPS and nothing else, since people type the URLs.
         */
        public Builder alertClient(WebhookClient alertClient) {
            this.alertClient = Objects.requireNonNull(alertClient, "alertClient");
            return this;
        }

        /** Makes a channel that sends mail to these addresses; default: there is no mail. */
        public Builder mail(@Nullable Function<List<String>, AlertChannel> mail) {
            this.mail = mail;
            return this;
        }

        /** Where people reach the page, for links in alerts; default: no links. */
        public Builder publicUrl(@Nullable String url) {
            if (url != null && !url.matches("https?://[^\\s\"'<>#]+/")) {
                throw new IllegalArgumentException(
                        "the public URL must be http or https and end with a slash, not '" + url + "'");
            }
            this.publicUrl = url;
            return this;
        }

        /** How often rules are looked at; default 10 s. */
        public Builder alertInterval(Duration alertInterval) {
            this.alertInterval = Objects.requireNonNull(alertInterval, "alertInterval");
            return this;
        }

        /** How long operations and their results are kept after their end; default 90 days. The audit log keeps its own. */
        public Builder operationsKept(Duration operationsKept) {
            if (operationsKept.isNegative()) {
                throw new IllegalArgumentException("operations cannot be kept for " + operationsKept);
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
         * Makes the control center's own tables if they are missing, and starts to look at the applications.
         *
         * @throws IllegalArgumentException if no application was named
         */
        public ControlCenter build() {
            if (applications.isEmpty()) {
                throw new IllegalArgumentException("a control center needs an application(...)");
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
