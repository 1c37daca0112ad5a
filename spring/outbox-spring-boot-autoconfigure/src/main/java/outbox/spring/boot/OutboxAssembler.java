package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;
import outbox.Outbox;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventRoute;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.HeaderSource;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.TableNames;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spring.SpringTxContext;
import outbox.spring.boot.properties.HandlerProperties.Unhandled;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.OutboxProperties.Mode;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Creates an {@link OutboxUnit} from properties and beans. */
final class OutboxAssembler {
    private static final Logger LOG = System.getLogger(OutboxAssembler.class.getName());

    /** Databases that CDC reads. */
    private static final Set<String> LOGS = Set.of("postgresql", "mysql", "mariadb");

    private final UnitConfiguration unit;
    private final UnitSettings settings;

    private OutboxAssembler(UnitConfiguration unit) {
        this.unit = unit;
        this.settings = unit.settings();
    }

    static OutboxUnit assemble(UnitConfiguration unit) {
        return new OutboxAssembler(unit).assemble();
    }

    private OutboxUnit assemble() {
        OutboxProperties properties = unit.properties();
        DataSource dataSource = DataSources.of(unit.beans(), settings.dataSource());
        if (!properties.isAllowRoutingDataSource()) {
            RoutingDataSources.refuse(dataSource);
        }
        JtaTransactions.requireLocalTransactions(unit.beans(), dataSource);
        SpringTransactionRunner transactions = new SpringTransactionRunner(
                TransactionManagers.of(unit.beans(), dataSource, settings.transactionManager()));
        AbstractJdbcOutboxStore store = storeFor(dataSource);
        Retirement retirement = new Retirement(properties);
        boolean relays = relays(store);
        boolean ordered = settings.mode() == Mode.ORDERED;
        OutboxTables tables = new OutboxTables(
                dataSource,
                store,
                settings.consumptionTable(),
                ordered,
                relays,
                properties.getClaimCheck().isEnabled(),
                retirement,
                OutboxTables.DefaultNames.OUTBOX);
        tables.prepare(
                properties.getSchema().getMode(),
                new OutboxMigrations(
                        unit.beans(),
                        dataSource,
                        store.name(),
                        ordered,
                        retirement.isByDays(),
                        relays,
                        properties.getClaimCheck().isEnabled()));

        SpringTxContext txContext = new SpringTxContext(dataSource, JtaTransactions.of(unit.beans()));
        ConnectionProvider connections = new DataSourceConnectionProvider(TransactionManagers.target(dataSource));
        LargePayloads payloads = LargePayloads.of(unit, store, connections, txContext);
        boolean delivers = delivers();
        logRoutes(delivers || relays);
        if (!delivers && unit.sendsAlerts()) {
            LOG.log(
                    Level.WARNING,
                    "outbox '" + settings.name()
                            + "' delivers nothing in this application, so it does not look for dead"
                            + " events and sends no alerts; the applications that deliver do");
        }
        MetricsExporter metrics = unit.around(dataSource, metrics());
        LateListeners listeners = new LateListeners();
        Outbox outbox = new ConfiguredOutbox(unit)
                .build(delivers, retirement, dataSource, store, connections, txContext, payloads, listeners, metrics);
        ConfiguredHandlers handlers = new ConfiguredHandlers(unit);
        HandlerSetup setup = new HandlerSetup(
                listeners,
                settings.name(),
                handlers::routes,
                () -> handlers.handlers(transactions, metrics),
                handlers::registries,
                handlers::aroundPlainListeners,
                new TrackerChoice(
                        unit.beans(),
                        properties,
                        () -> unit.own(EventConsumptionTracker.class),
                        tables,
                        store,
                        connections,
                        txContext),
                () -> {
                    if (settings.mode() != Mode.WRITER_ONLY) {
                        unit.handlerBeans().refuseLate(settings.name());
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
                tables::requireKeys,
                outbox,
                properties.isAutoStartup(),
                delivers,
                relays,
                metrics,
                envelopes(unit.beans()),
                new LatePublisher(() -> settings.sole()
                        ? unit.beans().getBean(DomainEventPublisher.class)
                        : unit.beans().getBean(settings.name() + "DomainEventPublisher", DomainEventPublisher.class)),
                payloads.seal(),
                setup,
                new ConfiguredSchedule(unit)
                        .of(outbox, delivers, setup, store, connections, txContext, payloads, tables)));
    }

    /** The application's store bean, or the store of its database. */
    private AbstractJdbcOutboxStore storeFor(DataSource dataSource) {
        OutboxStore own = unit.own(OutboxStore.class);
        if (own == null) {
            AbstractJdbcOutboxStore detected = JdbcOutboxStores.detect(dataSource);
            return detected.tableName().equals(settings.table())
                    ? detected
                    : new PropertyGroup("outbox").make("table", settings.table(), detected::withTable);
        }
        if (!(own instanceof AbstractJdbcOutboxStore store)) {
            throw new RefusedSettingsException(
                    "there is an OutboxStore bean, " + own.getClass().getName()
                            + ", which the starter cannot use: creating tables, purging and reading dead letters require an"
                            + " AbstractJdbcOutboxStore",
                    "Extend that class, or define an Outbox bean with the store yourself,"
                            + " which replaces the starter's.");
        }
        if (!settings.table().equals(TableNames.DEFAULT_TABLE)
                && !settings.table().equals(store.tableName())) {
            throw new RefusedSettingsException(
                    "the OutboxStore bean is for table " + store.tableName() + ", but the properties configure table "
                            + settings.table(),
                    "Remove one of them.");
        }
        return store;
    }

    /**
     * An application without handlers must not claim events. Otherwise it would dead-letter events that other
     * applications handle.
     */
    private boolean delivers() {
        if (settings.mode() == Mode.WRITER_ONLY) {
            return false;
        }
        boolean handled = unit.handlerBeans().existFor(settings.name())
                || !unit.routeNames().isEmpty()
                || unit.beans().getBeanNamesForType(ListenerRegistry.class, true, false).length > 0
                || unit.properties().getHandlers().getUnhandled() == Unhandled.LOG;
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

    private void logRoutes(boolean delivers) {
        List<String> routes = Arrays.asList(unit.beans().getBeanNamesForType(EventRoute.class, true, false));
        if (delivers
                && routes.isEmpty()
                && unit.environment().getProperty("outbox.publish-guard.enabled", Boolean.class, false)) {
            throw new RefusedSettingsException(
                    "outbox.publish-guard.enabled is true, but there is no route: the guard records"
                            + " events sent to Kafka, RabbitMQ, webhooks or EventRoute beans",
                    "Disable it, or add a route.");
        }
        if (!delivers && !routes.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "outbox '" + settings.name() + "' only writes events (outbox.mode=writer-only), so the routes "
                            + routes + " of this application receive none");
        }
    }

    /** Whether events are delivered by CDC. */
    private boolean relays(AbstractJdbcOutboxStore store) {
        if (!unit.environment().getProperty("outbox.cdc.enabled", Boolean.class, false)) {
            return false;
        }
        if (!settings.sole()) {
            throw new RefusedSettingsException(
                    "outbox.cdc.enabled is true and there are outbox.instances: a relay reads the log of one database",
                    "Build a CdcRelay for each instead.");
        }
        if (settings.mode() != Mode.WRITER_ONLY) {
            throw new RefusedSettingsException(
                    "outbox.cdc.enabled is true and outbox.mode is not writer-only: poller and"
                            + " relay would both deliver every event",
                    "Set outbox.mode=writer-only.");
        }
        if (!LOGS.contains(store.name())) {
            throw new RefusedSettingsException(
                    "outbox.cdc.enabled is true, and the outbox is in " + store.name() + ", whose log cannot be read",
                    "CDC reads PostgreSQL, MySQL and MariaDB. Remove the property to deliver by polling.");
        }
        return true;
    }

    private MetricsExporter metrics() {
        String prefix = unit.properties().getMetrics().getPrefix();
        return OutboxMetrics.of(
                unit.beans(),
                settings.sole() ? prefix : settings.name() + "." + prefix,
                unit.properties().getMetrics().isTotals());
    }

    static EventEnvelopes envelopes(ListableBeanFactory beans) {
        ObjectProvider<HeaderSource> sources = beans.getBeanProvider(HeaderSource.class);
        HeaderSource all = () -> {
            Map<String, @Nullable String> headers = new LinkedHashMap<>();
            sources.orderedStream().forEach(source -> headers.putAll(source.headers()));
            return headers;
        };
        return new EventEnvelopes(beans.getBean(EventTypes.class), PayloadSerializerConfiguration.of(beans), all);
    }
}
