package outbox.spring.boot;

import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import outbox.domain.handler.EventHandlers;
import outbox.node.AttemptRecorder;
import outbox.node.HandlerStatus;
import outbox.node.Heartbeat;
import outbox.node.Switchboard;
import outbox.node.WebhookSecretRotation;
import outbox.node.WebhookSwitchboard;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.SchemaProperties.SchemaMode;
import outbox.webhook.WebhookPublisher;

/**
 * The heartbeats of this process, one for each outbox. They start before delivery, so that paused handlers stay paused,
 * and stop after it. Applications that cannot create the tables run without heartbeats.
 */
final class NodeAgent implements MetricsAround, SmartLifecycle {
    private final ControlCenterProperties properties;
    private final SchemaMode schemaMode;
    private final boolean autoStartup;
    private final ObjectProvider<OutboxUnit> units;
    private final AttemptRecording attempts;
    private final ObjectProvider<WebhookPublisher> webhooks;
    private final ObjectProvider<WebhookSecretRotation> rotation;
    private final @Nullable InstantSource clock;
    private final Map<String, Heartbeat> heartbeats = new LinkedHashMap<>();
    private volatile boolean running;

    /** @param clock of the application, if it has one */
    NodeAgent(
            ControlCenterProperties properties,
            OutboxProperties outbox,
            ObjectProvider<OutboxUnit> units,
            AttemptRecording attempts,
            ObjectProvider<WebhookPublisher> webhooks,
            ObjectProvider<WebhookSecretRotation> rotation,
            @Nullable InstantSource clock) {
        this.properties = properties;
        this.schemaMode = outbox.getSchema().getMode();
        this.autoStartup = outbox.isAutoStartup();
        this.units = units;
        this.attempts = attempts;
        this.webhooks = webhooks;
        this.rotation = rotation;
        this.clock = clock;
    }

    @Override
    public MetricsExporter around(String outbox, DataSource dataSource, MetricsExporter metrics) {
        if (properties.getHeartbeat().isZero()) {
            return metrics;
        }
        Heartbeat.Builder builder = Heartbeat.builder(dataSource)
                .metrics(metrics)
                .switchboard(new HandlerBoard(outbox))
                .switchboard(new WebhookBoard(outbox))
                .switchboard(new InboxBoard(outbox));
        new PropertyGroup("outbox.control-center").give("heartbeat", properties.getHeartbeat(), builder::interval);
        AttemptRecorder recorder = attempts.recorderOf(outbox, dataSource);
        if (recorder != null) {
            builder.attempts(recorder);
        }
        if (clock != null) {
            builder.clock(clock);
        }
        Heartbeat heartbeat = builder.build();
        heartbeats.put(outbox, heartbeat);
        return heartbeat.metrics();
    }

    @Override
    public void start() {
        running = true;
        units.stream()
                .filter(unit -> unit.parts().delivers() || unit.parts().relays())
                .forEach(this::start);
    }

    private void start(OutboxUnit unit) {
        Heartbeat heartbeat = heartbeats.get(unit.name());
        unit.openHandlers(); // pause handlers before anything is delivered
        if (heartbeat != null
                && ControlTables.areUsableByNodes(
                        unit.parts().dataSource(), schemaMode, "outbox '" + unit.name() + "' sends no heartbeats")) {
            heartbeat.start(unit.outbox());
        }
    }

    @Override
    public void stop() {
        running = false;
        heartbeats.values().forEach(Heartbeat::close);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public int getPhase() {
        return OutboxUnit.PHASE - 1;
    }

    private @Nullable EventHandlers handlersOf(String outbox) {
        return units.stream()
                .filter(unit -> unit.name().equals(outbox))
                .map(OutboxUnit::handlers)
                .findFirst()
                .orElse(null);
    }

    /** The handlers of one outbox. */
    private final class HandlerBoard implements Switchboard {
        private final String outbox;

        HandlerBoard(String outbox) {
            this.outbox = outbox;
        }

        @Override
        public List<HandlerStatus> handlers() {
            EventHandlers known = handlersOf(outbox);
            return known == null
                    ? List.of()
                    : known.handlers().stream()
                            .map(handler -> new HandlerStatus(
                                    handler.name(),
                                    "handler",
                                    String.join(", ", handler.eventTypes()),
                                    handler.paused(),
                                    false,
                                    handler.breaker(),
                                    handler.running(),
                                    handler.waiting(),
                                    handler.delivered(),
                                    handler.failed(),
                                    Set.of(HandlerStatus.PAUSE)))
                            .toList();
        }

        @Override
        public boolean setPaused(String handler, boolean paused) {
            EventHandlers known = handlersOf(outbox);
            return known != null && known.setPaused(handler, paused);
        }
    }

    /** What an inbox received, as rows beside its handlers. */
    private final class InboxBoard implements Switchboard {
        private final String outbox;

        InboxBoard(String outbox) {
            this.outbox = outbox;
        }

        @Override
        public List<HandlerStatus> handlers() {
            return units.stream()
                    .filter(unit -> unit.name().equals(outbox))
                    .flatMap(unit -> unit.received().entrySet().stream())
                    .map(count -> new HandlerStatus(
                            "inbox: " + count.getKey(),
                            "inbox",
                            "",
                            false,
                            false,
                            BreakerState.CLOSED,
                            0,
                            0,
                            count.getValue(),
                            0,
                            Set.of()))
                    .toList();
        }

        @Override
        public boolean setPaused(String handler, boolean paused) {
            return false;
        }
    }

    /** The webhook endpoints of one outbox; looked up after all handlers are known. */
    private final class WebhookBoard implements Switchboard {
        private final String outbox;
        private volatile @Nullable WebhookSwitchboard endpoints;

        WebhookBoard(String outbox) {
            this.outbox = outbox;
        }

        private WebhookSwitchboard endpoints() {
            WebhookSwitchboard known = endpoints;
            if (known == null) {
                EventHandlers handlers = handlersOf(outbox);
                Set<String> names = handlers == null
                        ? Set.of()
                        : handlers.handlers().stream()
                                .map(EventHandlers.HandlerInfo::name)
                                .collect(Collectors.toSet());
                known = new WebhookSwitchboard(
                        rotation.getIfUnique(),
                        webhooks.stream()
                                .filter(publisher -> names.contains(
                                        "webhook-" + publisher.endpoint().name()))
                                .toArray(WebhookPublisher[]::new));
                endpoints = known;
            }
            return known;
        }

        @Override
        public List<HandlerStatus> handlers() {
            return endpoints().handlers();
        }

        @Override
        public boolean setPaused(String handler, boolean paused) {
            return false;
        }

        @Override
        public @Nullable String perform(String action, String handler) {
            return endpoints().perform(action, handler);
        }
    }
}
