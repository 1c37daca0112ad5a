package outbox.spring.boot;

import io.micrometer.observation.ObservationRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.WriterHook;
import outbox.dead.FailedEventAlert;
import outbox.dispatch.EventInterceptor;
import outbox.dispatch.RetryPolicy;
import outbox.domain.DomainEventPublisher;
import outbox.domain.TransactionRunner;
import outbox.domain.bus.LoggingTransport;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.domain.handler.EventRoute;
import outbox.domain.handler.HandlerInterceptor;
import outbox.domain.handler.HandlerOptions;
import outbox.domain.handler.RetryRule;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.HeaderSource;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.NodeLease;
import outbox.jdbc.TableNames;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.listener.RetryPreset;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.DeadLetterListener;
import outbox.spi.FailureListener;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spring.SpringTxContext;
import outbox.spring.boot.properties.DispatchProperties;
import outbox.spring.boot.properties.FailureAlertProperties;
import outbox.spring.boot.properties.HandlerProperties;
import outbox.spring.boot.properties.HandlerProperties.Unhandled;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.OutboxProperties.Mode;
import outbox.spring.boot.properties.PollProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RetryProperties;
import outbox.util.VirtualThreads;

/** Creates an {@link OutboxUnit} from properties and beans. */
final class OutboxAssembler {
    private static final Logger LOG = System.getLogger(OutboxAssembler.class.getName());

    private final ConfigurableListableBeanFactory beans;
    private final OutboxProperties properties;
    private final Environment environment;

    OutboxAssembler(ConfigurableListableBeanFactory beans, OutboxProperties properties, Environment environment) {
        this.beans = beans;
        this.properties = properties;
        this.environment = environment;
    }

    /** Settings that may differ between the outboxes of one application. */
    record Settings(
            String name,
            @Nullable String dataSource,
            @Nullable String transactionManager,
            String table,
            String consumptionTable,
            Mode mode,
            boolean sole) {}

    OutboxUnit assemble(Settings settings) {
        DataSource dataSource = DataSources.of(beans, settings.dataSource());
        if (!properties.isAllowRoutingDataSource()) {
            RoutingDataSources.refuse(dataSource);
        }
        TransactionRunner transactions =
                new SpringTransactionRunner(TransactionManagers.of(beans, dataSource, settings.transactionManager()));
        AbstractJdbcOutboxStore store = storeFor(settings, dataSource);
        Retirement retirement = new Retirement(properties);
        boolean relays = relays(settings);
        boolean ordered = settings.mode() == Mode.ORDERED;
        OutboxTables tables = new OutboxTables(
                dataSource,
                store,
                settings.consumptionTable(),
                ordered,
                relays,
                properties.getClaimCheck().isEnabled(),
                retirement);
        tables.prepare(
                properties.getSchema().getMode(),
                new OutboxMigrations(
                        beans,
                        dataSource,
                        store.name(),
                        ordered,
                        retirement.isByDays(),
                        relays,
                        properties.getClaimCheck().isEnabled()));

        SpringTxContext txContext = new SpringTxContext(dataSource, JtaTransactions.of(beans));
        ConnectionProvider connections = new DataSourceConnectionProvider(TransactionManagers.target(dataSource));
        LargePayloads payloads = LargePayloads.of(beans, properties, settings, store, connections, txContext);
        HandlerBeans handlerBeans =
                new HandlerBeans(beans, properties.getInstances().keySet());
        boolean delivers = delivers(settings, handlerBeans);
        tellOfRoutes(settings, delivers || relays);
        if (!delivers && sendsAlerts()) {
            LOG.log(
                    Level.WARNING,
                    "outbox '" + settings.name()
                            + "' delivers nothing in this application, so it does not look for dead"
                            + " events and sends no alerts; the applications that deliver do");
        }
        MetricsExporter metrics = around(settings, dataSource, metricsFor(settings));
        LateListeners listeners = new LateListeners();
        Outbox outbox = outbox(
                settings,
                delivers,
                retirement,
                dataSource,
                store,
                connections,
                txContext,
                payloads,
                listeners,
                metrics);
        HandlerSetup setup = new HandlerSetup(
                listeners,
                settings.name(),
                () -> routes(settings.name()),
                () -> handlers(settings, handlerBeans, transactions, metrics),
                this::registries,
                this::aroundPlainListeners,
                new TrackerChoice(
                        beans,
                        properties,
                        () -> own(settings, EventConsumptionTracker.class),
                        tables,
                        store,
                        connections,
                        txContext),
                () -> {
                    if (settings.mode() != Mode.WRITER_ONLY) {
                        handlerBeans.refuseLate(settings.name());
                    }
                });
        return new OutboxUnit(new OutboxUnit.Parts(
                settings.name(),
                dataSource,
                store,
                settings.consumptionTable(),
                connections,
                txContext,
                transactions,
                outbox,
                properties.isAutoStartup(),
                delivers,
                relays,
                metrics,
                envelopes(),
                new LatePublisher(() -> settings.sole()
                        ? beans.getBean(DomainEventPublisher.class)
                        : beans.getBean(settings.name() + "DomainEventPublisher", DomainEventPublisher.class)),
                payloads.seal(),
                setup,
                schedule(settings, outbox, delivers, setup, store, connections, txContext, payloads, tables)));
    }

    /** The prefix of a group's properties, for messages. */
    private PropertyGroup group(Settings settings, String name) {
        String own = "outbox.instances." + settings.name() + "." + name;
        boolean isOwn = !settings.sole()
                && Binder.get(environment)
                        .bind(ConfigurationPropertyName.adapt(own, '.'), Bindable.mapOf(String.class, Object.class))
                        .isBound();
        return new PropertyGroup(isOwn ? own : "outbox." + name);
    }

    /** @return whether one node sends alerts, instead of every node */
    private boolean electsNodeForAlerts(Settings settings, OutboxTables tables) {
        if (!sendsAlerts() || settings.mode() == Mode.SINGLE_NODE) {
            return false;
        }
        if (!tables.exists(NodeLease.TABLE)) {
            LOG.log(
                    Level.WARNING,
                    "table " + NodeLease.TABLE
                            + " does not exist, so every node sends alerts of outbox '"
                            + settings.name()
                            + "'. Create the table with outbox/schema/lease.sql");
            return false;
        }
        return true;
    }

    private RelaySchedule schedule(
            Settings settings,
            Outbox outbox,
            boolean delivers,
            HandlerSetup handlers,
            AbstractJdbcOutboxStore store,
            ConnectionProvider connections,
            SpringTxContext txContext,
            LargePayloads payloads,
            OutboxTables tables) {
        RelaySchedule schedule = new RelaySchedule(outbox);
        PollProperties poll = properties.getPoll();
        FailureAlertProperties alerts = properties.getFailureAlerts();
        if (delivers && poll.isEnabled() && poll.getCron() != null) {
            schedule.add(
                    "read the table",
                    group(settings, "poll"),
                    poll.getCron(),
                    poll.getInterval(),
                    () -> outbox.relay().recoverOnce());
        }
        BreakerAlerts breakers = beans.getBeanProvider(BreakerAlerts.class).getIfAvailable();
        boolean looks = delivers && (alerts.isEnabled() || breakers != null);
        boolean elects = looks && electsNodeForAlerts(settings, tables);
        if (delivers && alerts.isEnabled()) {
            NodeLease lease = elects ? new NodeLease(connections, "alerts " + store.tableName()) : null;
            FailedEventLook look = new FailedEventLook(outbox, lease, alerts);
            schedule.add(
                    "look for dead events",
                    new PropertyGroup("outbox.failure-alerts"),
                    alerts.getCron(),
                    alerts.getInterval(),
                    look);
            schedule.atEnd(look::stop);
        }
        if (delivers && breakers != null) {
            BreakerLook look = new BreakerLook(
                    handlers::openBreakers,
                    breakers.alertFor(settings.sole() ? null : settings.name()),
                    elects
                            ? handler -> new NodeLease(connections, BreakerLook.leaseOf(store.tableName(), handler))
                            : null);
            schedule.add(
                    "look for open circuit breakers",
                    new PropertyGroup("outbox.failure-alerts"),
                    null,
                    BreakerLook.interval(alerts.getInterval()),
                    look);
            schedule.atEnd(look::stop);
        }
        if (properties.getPurge().isEnabled()) {
            TablePurge purge = new TablePurge(store, connections, txContext, tables, properties.getPurge());
            schedule.add(
                    "purge",
                    group(settings, "purge"),
                    null,
                    properties.getPurge().getInterval(),
                    purge);
        }
        payloads.schedule(schedule);
        return schedule;
    }

    private EventListener aroundPlainListeners(EventListener listener) {
        OutboxTracing tracing = tracing();
        MdcHeaders context = beans.getBeanProvider(MdcHeaders.class).getIfAvailable();
        EventListener inner = context == null ? listener : context.around(listener);
        return tracing == null ? inner : tracing.traced(inner);
    }

    private @Nullable OutboxTracing tracing() {
        ObservationRegistry observations =
                beans.getBeanProvider(ObservationRegistry.class).getIfAvailable();
        return properties.getTracing().isEnabled() && observations != null
                ? new OutboxTracing(
                        observations,
                        OutboxConventionChoice.of(beans, properties.getTracing().getConvention()))
                : null;
    }

    /** The application's store bean, or the store of its database. */
    private AbstractJdbcOutboxStore storeFor(Settings settings, DataSource dataSource) {
        OutboxStore own = own(settings, OutboxStore.class);
        if (own == null) {
            AbstractJdbcOutboxStore detected = JdbcOutboxStores.detect(dataSource);
            return detected.tableName().equals(settings.table())
                    ? detected
                    : new PropertyGroup("outbox").make("table", settings.table(), detected::withTable);
        }
        if (!(own instanceof AbstractJdbcOutboxStore store)) {
            throw new IllegalStateException(
                    "there is an OutboxStore bean, " + own.getClass().getName()
                            + ", which the starter cannot use: creating tables, purging and reading dead letters require an"
                            + " AbstractJdbcOutboxStore. Extend that class, or define an Outbox bean with the store yourself,"
                            + " which replaces the starter's");
        }
        if (!settings.table().equals(TableNames.DEFAULT_TABLE)
                && !settings.table().equals(store.tableName())) {
            throw new IllegalStateException("the OutboxStore bean is for table " + store.tableName()
                    + ", but the properties configure table " + settings.table() + ": remove one of them");
        }
        return store;
    }

    /** The application's bean of that type for this outbox; {@code null} if there is none. */
    private <T> @Nullable T own(Settings settings, Class<T> type) {
        HandlerBeans belonging =
                new HandlerBeans(beans, properties.getInstances().keySet());
        List<String> names = Arrays.stream(beans.getBeanNamesForType(type))
                .filter(name -> belonging.belongsTo(settings.name(), name))
                .toList();
        if (names.size() > 1) {
            throw new IllegalStateException("there are several beans of type " + type.getSimpleName() + ", " + names
                    + ", and outbox '" + settings.name()
                    + "' can use only one: remove the others, or qualify each with the name of"
                    + " an instance");
        }
        return names.isEmpty() ? null : beans.getBean(names.get(0), type);
    }

    /**
     * An application without handlers must not claim events. Otherwise it would dead-letter events that other
     * applications handle.
     */
    private boolean delivers(Settings settings, HandlerBeans handlerBeans) {
        if (settings.mode() == Mode.WRITER_ONLY) {
            return false;
        }
        boolean handled = handlerBeans.existFor(settings.name())
                || !routeNames(settings.name()).isEmpty()
                || beans.getBeanNamesForType(ListenerRegistry.class, true, false).length > 0
                || properties.getHandlers().getUnhandled() == Unhandled.LOG;
        if (!handled) {
            LOG.log(
                    Level.WARNING,
                    "outbox '" + settings.name() + "' writes events and delivers none: there is no @EventHandler, no"
                            + " EventRoute and no ListenerRegistry bean. If that is intended, set outbox.mode=writer-only"
                            + idleModules());
        }
        return handled;
    }

    /** Modules that are on the class path and send nothing, because no property asks for it. */
    private static String idleModules() {
        StringBuilder hint = new StringBuilder();
        Map.of("outbox.kafka", "KafkaPublisher", "outbox.rabbitmq", "RabbitPublisher")
                .forEach((module, publisher) -> {
                    if (ClassUtils.isPresent(module + "." + publisher, OutboxAssembler.class.getClassLoader())) {
                        hint.append("; ").append(module).append(".enabled=true sends events there");
                    }
                });
        return hint.toString();
    }

    private void tellOfRoutes(Settings settings, boolean delivers) {
        List<String> routes = Arrays.asList(beans.getBeanNamesForType(EventRoute.class, true, false));
        if (delivers
                && routes.isEmpty()
                && environment.getProperty("outbox.publish-guard.enabled", Boolean.class, false)) {
            throw new IllegalStateException(
                    "outbox.publish-guard.enabled is true, but there is no route: the guard records"
                            + " events sent to Kafka, RabbitMQ, webhooks or EventRoute beans; disable it, or add a route");
        }
        if (!delivers && !routes.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "outbox '" + settings.name() + "' only writes events (outbox.mode=writer-only), so the routes "
                            + routes + " of this application receive none");
        }
    }

    /** Whether events are delivered by CDC. */
    private boolean relays(Settings settings) {
        if (!environment.getProperty("outbox.cdc.enabled", Boolean.class, false)) {
            return false;
        }
        if (!settings.sole()) {
            throw new IllegalStateException(
                    "outbox.cdc.enabled is true and there are outbox.instances: a relay reads the"
                            + " log of one database; build a CdcRelay for each instead");
        }
        if (settings.mode() != Mode.WRITER_ONLY) {
            throw new IllegalStateException("outbox.cdc.enabled is true and outbox.mode is not writer-only: poller and"
                    + " relay would both deliver every event; set outbox.mode=writer-only");
        }
        return true;
    }

    private Outbox outbox(
            Settings settings,
            boolean delivers,
            Retirement retirement,
            DataSource dataSource,
            AbstractJdbcOutboxStore store,
            ConnectionProvider connections,
            SpringTxContext txContext,
            LargePayloads payloads,
            LateListeners listeners,
            MetricsExporter metrics) {
        OutboxBuilder builder = !delivers
                ? Outbox.writerOnly()
                : settings.mode() == Mode.SINGLE_NODE ? Outbox.singleNode() : Outbox.multiNode();
        builder.store(store).connections(connections).transactions(txContext).metrics(metrics);
        writerHooks().forEach(builder::writerHook);
        builder.seal(payloads.seal());
        InstantSource clock = OwnBean.of(beans, InstantSource.class);
        if (clock != null) {
            builder.clock(clock);
        }
        retirement.configure(builder, store, settings, payloads);
        if (delivers) {
            configureDelivery(builder, settings, dataSource, listeners);
        }
        beans.getBeanProvider(OutboxCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(settings.name(), builder));
        return new PropertyGroup("outbox").build(builder::build);
    }

    private void configureDelivery(
            OutboxBuilder builder, Settings settings, DataSource dataSource, LateListeners listeners) {
        DispatchProperties dispatch = properties.getDispatch();
        PollProperties poll = properties.getPoll();
        RetryRule retry = retry(settings);
        builder.listeners(listeners)
                .completionMode(dispatch.getCompletion())
                .retryPolicy(retry.policy())
                .maxAttempts(retry.maxAttempts());
        group(settings, "dispatch")
                .give("workers", dispatch.getWorkers(), builder::workerCount)
                .give("hot-queue-capacity", dispatch.getHotQueueCapacity(), builder::hotQueueCapacity)
                .give("cold-queue-capacity", dispatch.getColdQueueCapacity(), builder::coldQueueCapacity)
                .give(
                        "max-bytes-in-flight",
                        dispatch.getMaxBytesInFlight(),
                        size -> builder.maxBytesInFlight(size.toBytes()))
                .give("lease-time", dispatch.getLeaseTime(), builder::leaseTime)
                .give("time-limit", dispatch.getTimeLimit(), builder::timeLimit)
                .give("drain-timeout", dispatch.getDrainTimeout(), builder::drainTimeout);
        group(settings, "poll")
                .give("interval", poll.getInterval(), builder::pollInterval)
                .give("batch-size", poll.getBatchSize(), builder::claimSize);
        new PropertyGroup("outbox").give("node-id", properties.getNodeId(), builder::nodeId);
        if (settings.mode() == Mode.ORDERED) {
            builder.ordered();
        }
        if (!poll.isEnabled() || poll.getCron() != null) {
            builder.pollOnDemand();
        }
        if (sendsAlerts()) {
            builder.failedEventAlert(new FailedEventAlerts(beans.getBeanProvider(FailedEventAlert.class)
                    .orderedStream()
                    .map(alert -> settings.sole() ? alert : alert.forOutbox(settings.name()))
                    .toList()));
        }
        FailureListener failures = FailureListeners.of(beans, settings.name(), dataSource);
        if (failures != null) {
            builder.failureListener(failures);
        }
        DeadLetterListener deadLetters = own(settings, DeadLetterListener.class);
        if (deadLetters != null) {
            builder.deadLetterListener(deadLetters);
        }
        if (virtualThreads()) {
            builder.virtualThreads();
        }
        beans.getBeanProvider(EventInterceptor.class).orderedStream().forEach(builder::interceptor);
    }

    private boolean sendsAlerts() {
        return beans.getBeanNamesForType(FailedEventAlert.class).length > 0;
    }

    private boolean virtualThreads() {
        return environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false);
    }

    private List<WriterHook> writerHooks() {
        List<WriterHook> hooks = new ArrayList<>();
        hooks.add(properties.getEvents().getNaming().writerHook());
        OutboxTracing tracing = tracing();
        if (tracing != null) {
            hooks.add(tracing);
        }
        beans.getBeanProvider(WriterHook.class).orderedStream().forEach(hooks::add);
        hooks.add(new PropertyGroup("outbox.write")
                .make("max-payload", properties.getWrite().getMaxPayload(), PayloadLimit::new));
        return hooks;
    }

    private RetryRule retry(Settings settings) {
        RetryProperties retry = properties.getRetry();
        RetryPreset preset = retry.getPreset();
        PropertyGroup group = group(settings, "retry");
        RetryPolicy own = own(settings, RetryPolicy.class);
        if (own != null) {
            refuseDelays(own, group);
        }
        RetryRule rule;
        if (own != null) {
            rule = new RetryRule(own, preset.maxAttempts());
        } else if (retry.getBaseDelay() == null && retry.getMaxDelay() == null) {
            rule = RetryRule.of(preset);
        } else {
            rule = group.build(() -> RetryRule.exponential(
                    millis(retry.getBaseDelay(), preset.baseDelayMs()),
                    millis(retry.getMaxDelay(), preset.maxDelayMs()),
                    preset.maxAttempts()));
        }
        return retry.getMaxAttempts() == null
                ? rule
                : group.make("max-attempts", retry.getMaxAttempts(), rule::withMaxAttempts);
    }

    private void refuseDelays(RetryPolicy own, PropertyGroup group) {
        for (String name : List.of("preset", "base-delay", "max-delay")) {
            String property = group.prefix() + "." + name;
            if (Binder.get(environment)
                    .bind(ConfigurationPropertyName.adapt(property, '.'), Bindable.of(String.class))
                    .isBound()) {
                throw new IllegalStateException("there is a RetryPolicy bean, "
                        + own.getClass().getName() + ", and " + property + " is set: remove one of them");
            }
        }
    }

    private static long millis(@Nullable Duration duration, long otherwise) {
        return duration == null ? otherwise : duration.toMillis();
    }

    private EventHandlersBuilder handlers(
            Settings settings, HandlerBeans handlerBeans, TransactionRunner transactions, MetricsExporter metrics) {
        EventHandlersBuilder handlers = EventHandlers.builder()
                .types(beans.getBean(EventTypes.class))
                .serializer(PayloadSerializerConfiguration.of(beans))
                .transactions(transactions)
                .defaultRetry(retry(settings))
                .metrics(metrics)
                .retired(properties.getHandlers().getRetired().toArray(String[]::new));
        group(settings, "dispatch")
                .give("time-limit", properties.getDispatch().getTimeLimit(), handlers::defaultTimeLimit);
        HandlerProperties.Breaker breaker = properties.getHandlers().getBreaker();
        new PropertyGroup("outbox.handlers.breaker")
                .give(
                        "failures",
                        breaker.getFailures(),
                        failures -> handlers.defaultCircuitBreaker(failures, HandlerOptions.DEFAULT_BREAKER_PAUSE))
                .give(
                        "pause",
                        breaker.getPause(),
                        pause -> handlers.defaultCircuitBreaker(breaker.getFailures(), pause));
        OutboxTracing tracing = tracing();
        if (tracing != null) {
            handlers.interceptor(tracing);
        }
        if (virtualThreads()) {
            ThreadFactory virtual = VirtualThreads.factory("outbox-handler-");
            if (virtual != null) {
                handlers.executor(task -> virtual.newThread(task).start());
            }
        }
        beans.getBeanProvider(HandlerInterceptor.class).orderedStream().forEach(handlers::interceptor);
        beans.getBeansOfType(RetryRule.class).forEach(handlers::retryRule);
        handlerBeans.addTo(handlers, settings.name());
        return handlers;
    }

    private List<EventRoute> routes(String instance) {
        List<EventRouteCustomizer> customizers = beans.getBeanProvider(EventRouteCustomizer.class)
                .orderedStream()
                .toList();
        List<EventRoute> routes = new ArrayList<>();
        for (String name : routeNames(instance)) {
            EventRoute route = beans.getBean(name, EventRoute.class);
            for (EventRouteCustomizer customizer : customizers) {
                route = customizer.customize(route);
            }
            routes.add(route);
        }
        return routes;
    }

    /** As for handlers: a bean qualified with the name of an instance belongs only to that one. */
    private List<String> routeNames(String instance) {
        HandlerBeans belonging =
                new HandlerBeans(beans, properties.getInstances().keySet());
        return Arrays.stream(beans.getBeanNamesForType(EventRoute.class, true, false))
                .filter(name -> belonging.belongsTo(instance, name))
                .toList();
    }

    private List<ListenerRegistry> registries() {
        List<ListenerRegistry> registries = new ArrayList<>(
                beans.getBeanProvider(ListenerRegistry.class).orderedStream().toList());
        if (properties.getHandlers().getUnhandled() == Unhandled.LOG) {
            registries.add(new LoggingTransport());
        }
        return registries;
    }

    EventEnvelopes envelopes() {
        ObjectProvider<HeaderSource> sources = beans.getBeanProvider(HeaderSource.class);
        HeaderSource all = () -> {
            Map<String, @Nullable String> headers = new LinkedHashMap<>();
            sources.orderedStream().forEach(source -> headers.putAll(source.headers()));
            return headers;
        };
        return new EventEnvelopes(beans.getBean(EventTypes.class), PayloadSerializerConfiguration.of(beans), all);
    }

    private MetricsExporter metricsFor(Settings settings) {
        MetricsExporter own = OwnBean.of(beans, MetricsExporter.class);
        return own == null ? OutboxMetrics.of(beans, prefix(settings)) : own;
    }

    private MetricsExporter around(Settings settings, DataSource dataSource, MetricsExporter metrics) {
        MetricsExporter outermost = metrics;
        for (MetricsAround around :
                beans.getBeanProvider(MetricsAround.class).orderedStream().toList()) {
            outermost = around.around(settings.name(), dataSource, outermost);
        }
        return outermost;
    }

    private String prefix(Settings settings) {
        String prefix = properties.getMetrics().getPrefix();
        return settings.sole() ? prefix : settings.name() + "." + prefix;
    }
}
