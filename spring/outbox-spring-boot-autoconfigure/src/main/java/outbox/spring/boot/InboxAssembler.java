package outbox.spring.boot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import outbox.OutboxBuilder;
import outbox.WriterHook;
import outbox.contracts.ContractCheck;
import outbox.contracts.ContractViolationException;
import outbox.domain.TransactionRunner;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.inbox.DurableInbox;
import outbox.inbox.DurableInboxBuilder;
import outbox.inbox.Inbox;
import outbox.inbox.InboxCounts;
import outbox.inbox.InboxHandler;
import outbox.inbox.InlineInbox;
import outbox.inbox.InlineInboxBuilder;
import outbox.inbox.MessageId;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.TableNames;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventSeal;
import outbox.spi.MetricsExporter;
import outbox.spring.SpringTxContext;
import outbox.spring.boot.properties.InboxGroupProperties;
import outbox.spring.boot.properties.InboxGroupProperties.Failures;
import outbox.spring.boot.properties.InboxGroupProperties.Mode;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Creates the inbox of a consumer group from properties and beans; its engine is an {@link OutboxUnit} like others. */
final class InboxAssembler {
    private static final OutboxTables.DefaultNames NAMES =
            new OutboxTables.DefaultNames(DurableInbox.DEFAULT_TABLE, "inbox_consumption");

    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;

    InboxAssembler(ConfigurableListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    /** @param inline {@code null} for a durable group */
    record Assembled(
            OutboxUnit unit, DurableInbox durable, @Nullable InlineInbox inline) {}

    Assembled assemble(String name, InboxGroupProperties group) {
        OutboxProperties properties = InboxGroupProperties.merged(environment, name);
        PropertyGroup own = new PropertyGroup("outbox.inbox.groups." + name);
        UnitSettings settings = new UnitSettings(
                "inbox-" + name,
                group.getDataSource() == null ? properties.getDataSource() : group.getDataSource(),
                group.getTransactionManager() == null
                        ? properties.getTransactionManager()
                        : group.getTransactionManager(),
                group.getTable(),
                own.make("consumption-table", group.getConsumptionTable(), TableNames::validate),
                group.isOrdered() ? OutboxProperties.Mode.ORDERED : OutboxProperties.Mode.MULTI_NODE,
                false,
                own.prefix());
        UnitConfiguration configuration = new UnitConfiguration(beans, properties, environment, settings);
        DataSource dataSource = DataSources.of(beans, settings.dataSource());
        SpringTransactionRunner transactions =
                new SpringTransactionRunner(TransactionManagers.of(beans, dataSource, settings.transactionManager()));
        AbstractJdbcOutboxStore store =
                own.make("table", group.getTable(), JdbcOutboxStores.detect(dataSource)::withTable);
        OutboxTables tables = new OutboxTables(
                dataSource,
                store,
                settings.consumptionTable(),
                group.isOrdered(),
                false,
                false,
                new Retirement(properties),
                NAMES);
        tables.prepare(
                properties.getSchema().getMode(),
                OutboxMigrations.ofInbox(beans, dataSource, store.name(), group.isOrdered()));

        DataSource target = TransactionManagers.target(dataSource);
        ConnectionProvider connections = new DataSourceConnectionProvider(target);
        SpringTxContext txContext = new SpringTxContext(dataSource, JtaTransactions.of(beans));
        LargePayloads payloads = LargePayloads.none(configuration);
        MetricsExporter metrics = configuration.around(
                dataSource,
                OutboxMetrics.of(beans, name + ".inbox", properties.getMetrics().isTotals()));
        LateListeners listeners = new LateListeners();
        HandlerBeans handlerBeans = new HandlerBeans(beans, List.of(), InboxHandler.Mark.ofGroup(name));
        Supplier<EventHandlersBuilder> handlers = () -> {
            EventHandlersBuilder builder =
                    new ConfiguredHandlers(configuration).handlers(handlerBeans, transactions, metrics);
            checkContracts(builder);
            return builder;
        };
        MessageId messageId = messageId(name, group);
        DurableInboxBuilder durable = DurableInbox.builder(target)
                .group(name)
                .store(store)
                .handlers(listeners)
                .transactions(txContext)
                .engine(builder -> configure(builder, configuration, dataSource, listeners, metrics));
        own.give("deduplication-window", group.getDeduplicationWindow(), durable::deduplicationWindow);
        if (messageId != null) {
            durable.messageId(messageId);
        }
        if (group.isDeadLetterInvalid()) {
            durable.deadLetterInvalid();
        }
        DurableInbox inbox = own.build(durable::build);
        LateListeners inlineListeners = new LateListeners();
        HandlerSetup setup = new HandlerSetup(
                listeners,
                settings.name(),
                List::of,
                () -> {
                    if (group.getMode() == Mode.INLINE) {
                        inlineListeners.arrived(
                                handlers.get().inOneTransaction().build());
                    }
                    return handlers.get();
                },
                List::of,
                listener -> listener,
                new TrackerChoice(
                        beans,
                        properties,
                        () -> configuration.own(EventConsumptionTracker.class),
                        tables,
                        store,
                        connections,
                        txContext),
                () -> {});
        OutboxUnit unit = new OutboxUnit(new OutboxUnit.Parts(
                settings.name(),
                dataSource,
                store,
                settings.consumptionTable(),
                connections,
                txContext,
                transactions,
                tables::requireKeys,
                inbox.outbox(),
                properties.isAutoStartup(),
                true,
                false,
                metrics,
                OutboxAssembler.envelopes(beans),
                null,
                payloads.seal(),
                setup,
                new ConfiguredSchedule(configuration)
                        .of(inbox.outbox(), true, setup, store, connections, txContext, payloads, tables)));
        InlineInbox inline = group.getMode() == Mode.INLINE
                ? inline(name, group, target, store, txContext, transactions, inlineListeners, inbox, messageId)
                : null;
        unit.received(() -> countsOf(inline == null ? inbox : inline));
        return new Assembled(unit, inbox, inline);
    }

    private static Map<String, Long> countsOf(Inbox inbox) {
        InboxCounts counts = inbox.counts();
        Map<String, Long> byOutcome = new LinkedHashMap<>();
        byOutcome.put("received", counts.received());
        byOutcome.put("duplicates", counts.duplicates());
        byOutcome.put("dead", counts.dead());
        return byOutcome;
    }

    private static InlineInbox inline(
            String name,
            InboxGroupProperties group,
            DataSource dataSource,
            AbstractJdbcOutboxStore store,
            SpringTxContext txContext,
            TransactionRunner transactions,
            LateListeners listeners,
            DurableInbox durable,
            @Nullable MessageId messageId) {
        if (group.isOrdered() && group.getFailures() == Failures.STORE) {
            throw new RefusedSettingsException(
                    "outbox.inbox.groups." + name
                            + ".ordered is true and its mode is inline: a message that fails would be"
                            + " handled after those that follow it",
                    "Set outbox.inbox.groups." + name
                            + ".failures=redeliver, which keeps the order of the broker, or .mode=durable.");
        }
        InlineInboxBuilder builder = InlineInbox.builder(dataSource)
                .group(name)
                .store(store)
                .transactions(txContext, transactions)
                .handlers(listeners);
        if (group.getFailures() == Failures.STORE) {
            builder.failuresTo(durable);
        }
        if (messageId != null) {
            builder.messageId(messageId);
        }
        if (group.isDeadLetterInvalid()) {
            builder.deadLetterInvalid();
        }
        return builder.build();
    }

    private void configure(
            OutboxBuilder builder,
            UnitConfiguration configuration,
            DataSource dataSource,
            LateListeners listeners,
            MetricsExporter metrics) {
        OutboxProperties properties = configuration.properties();
        builder.metrics(metrics);
        EventSeal seal = OwnBean.of(beans, EventSeal.class);
        if (seal != null) {
            builder.seal(seal);
        }
        new PropertyGroup("outbox.purge")
                .give("dead-retention", properties.getPurge().getDeadRetention(), builder::deadRetention)
                .give("interval", properties.getPurge().getInterval(), builder::purgeInterval);
        new ConfiguredOutbox(configuration).configureDelivery(builder, dataSource, listeners);
    }

    /** In this order: the header, a bean, the position. */
    private @Nullable MessageId messageId(String group, InboxGroupProperties properties) {
        MessageId found =
                properties.getMessageIdHeader() == null ? null : MessageId.header(properties.getMessageIdHeader());
        HandlerBeans belonging =
                new HandlerBeans(beans, NamedInboxes.groups(environment).keySet());
        for (String name : beans.getBeanNamesForType(MessageId.class)) {
            if (belonging.belongsTo(group, name)) {
                found = plus(found, beans.getBean(name, MessageId.class));
            }
        }
        return properties.isMessageIdByPosition() ? plus(found, MessageId.position()) : found;
    }

    private static MessageId plus(@Nullable MessageId first, MessageId next) {
        return first == null ? next : first.orElse(next);
    }

    /** Messages are checked when they are handled: one that violates its contract is a dead letter with its cause. */
    private void checkContracts(EventHandlersBuilder handlers) {
        if (ClassUtils.isPresent("outbox.contracts.ContractCheck", InboxAssembler.class.getClassLoader())) {
            Contracts.check(beans, handlers);
        }
    }

    /** Loaded only if {@code outbox-contracts} is there. */
    private static final class Contracts {
        static void check(ConfigurableListableBeanFactory beans, EventHandlersBuilder handlers) {
            beans.getBeanProvider(WriterHook.class)
                    .orderedStream()
                    .filter(ContractCheck.class::isInstance)
                    .forEach(check -> handlers.deadOn(ContractViolationException.class)
                            .interceptor(call -> {
                                var unused = check.beforeWrite(call.events());
                                call.proceed();
                            }));
        }
    }
}
