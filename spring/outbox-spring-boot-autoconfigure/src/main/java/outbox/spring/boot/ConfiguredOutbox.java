package outbox.spring.boot;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.WriterHook;
import outbox.dead.FailedEventAlert;
import outbox.dispatch.EventInterceptor;
import outbox.domain.handler.RetryRule;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.DeadLetterListener;
import outbox.spi.FailureListener;
import outbox.spi.MetricsExporter;
import outbox.spring.SpringTxContext;
import outbox.spring.boot.properties.DispatchProperties;
import outbox.spring.boot.properties.OutboxProperties.Mode;
import outbox.spring.boot.properties.PollProperties;
import outbox.spring.boot.properties.PropertyGroup;

/** Passes properties and beans to the builder of an outbox. */
final class ConfiguredOutbox {
    private final UnitConfiguration unit;

    ConfiguredOutbox(UnitConfiguration unit) {
        this.unit = unit;
    }

    Outbox build(
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
                : unit.settings().mode() == Mode.SINGLE_NODE ? Outbox.singleNode() : Outbox.multiNode();
        builder.store(store).connections(connections).transactions(txContext).metrics(metrics);
        writerHooks().forEach(builder::writerHook);
        builder.seal(payloads.seal());
        InstantSource clock = OwnBean.of(unit.beans(), InstantSource.class);
        if (clock != null) {
            builder.clock(clock);
        }
        retirement.configure(builder, store, unit.settings(), payloads);
        if (delivers) {
            configureDelivery(builder, dataSource, listeners);
        }
        unit.beans()
                .getBeanProvider(OutboxCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(unit.settings().name(), builder));
        return new PropertyGroup("outbox").build(builder::build);
    }

    void configureDelivery(OutboxBuilder builder, DataSource dataSource, LateListeners listeners) {
        DispatchProperties dispatch = unit.properties().getDispatch();
        PollProperties poll = unit.properties().getPoll();
        RetryRule retry = ConfiguredRetry.of(unit);
        builder.listeners(listeners)
                .completionMode(dispatch.getCompletion())
                .retryPolicy(retry.policy())
                .maxAttempts(retry.maxAttempts());
        unit.group("dispatch")
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
        unit.group("poll")
                .give("interval", poll.getInterval(), builder::pollInterval)
                .give("batch-size", poll.getBatchSize(), builder::claimSize);
        new PropertyGroup("outbox").give("node-id", unit.properties().getNodeId(), builder::nodeId);
        if (unit.settings().mode() == Mode.ORDERED) {
            builder.ordered();
        }
        if (!poll.isEnabled() || poll.getCron() != null) {
            builder.pollOnDemand();
        }
        if (unit.sendsAlerts()) {
            builder.failedEventAlert(new FailedEventAlerts(unit.beans()
                    .getBeanProvider(FailedEventAlert.class)
                    .orderedStream()
                    .map(alert -> unit.settings().sole()
                            ? alert
                            : alert.forOutbox(unit.settings().name()))
                    .toList()));
        }
        FailureListener failures =
                FailureListeners.of(unit.beans(), unit.settings().name(), dataSource);
        if (failures != null) {
            builder.failureListener(failures);
        }
        DeadLetterListener deadLetters = unit.own(DeadLetterListener.class);
        if (deadLetters != null) {
            builder.deadLetterListener(deadLetters);
        }
        if (unit.virtualThreads()) {
            builder.virtualThreads();
        }
        unit.beans().getBeanProvider(EventInterceptor.class).orderedStream().forEach(builder::interceptor);
    }

    private List<WriterHook> writerHooks() {
        List<WriterHook> hooks = new ArrayList<>();
        hooks.add(unit.properties().getEvents().getNaming().writerHook());
        OutboxTracing tracing = unit.tracing();
        if (tracing != null) {
            hooks.add(tracing);
        }
        unit.beans().getBeanProvider(WriterHook.class).orderedStream().forEach(hooks::add);
        hooks.add(new PropertyGroup("outbox.write")
                .make("max-payload", unit.properties().getWrite().getMaxPayload(), PayloadLimit::new));
        return hooks;
    }
}
