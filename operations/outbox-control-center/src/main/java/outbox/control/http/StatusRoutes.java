package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.live.Sample;
import outbox.control.source.CdcReader;
import outbox.control.source.NodeReader;

/** What stops the events of an application from being delivered, for the banner of every page. */
final class StatusRoutes {
    /** A node that missed several heartbeats is silent. */
    private static final int SILENT_SECONDS = 30;

    private final ControlCenter center;

    StatusRoutes(ControlCenter center) {
        this.center = center;
    }

    List<Route> routes() {
        return List.of(Route.of(
                "GET",
                "/apps/{app}/status",
                Permission.VIEW,
                "What stops delivery: open breakers, paused handlers, silent nodes, an unreachable database",
                this::status));
    }

    private void status(Exchange exchange) throws IOException {
        ControlCenter.Source source = Sources.of(center, exchange);
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        String problem = source.sampler().problem();
        try {
            addNodes(source.nodes(), body);
        } catch (SQLException e) {
            problem = "cannot read the tables of the nodes: " + e.getClass().getSimpleName();
        }
        Sample last = source.sampler().last();
        body.put("problem", problem);
        body.put("sampledAt", last == null ? null : last.at());
        body.put("dead", last == null ? null : last.dead());
        body.put("heldBack", last == null ? null : last.heldBack());
        body.put("holds", last == null ? List.of() : last.holds());
        if (source.application().isDeliveredFromLog()) {
            addRelays(source, body);
        }
        exchange.json(200, body);
    }

    /** Relays whose replication slot no process reads: the database keeps the log for them. */
    private static void addRelays(ControlCenter.Source source, Map<String, @Nullable Object> body) {
        try {
            body.put(
                    "stoppedRelays",
                    source.cdc().read().relays().stream()
                            .filter(relay -> Boolean.FALSE.equals(relay.active()))
                            .map(CdcReader.Relay::name)
                            .toList());
        } catch (SQLException e) {
            body.putIfAbsent(
                    "problem",
                    "cannot read the tables of the CDC relay: " + e.getClass().getSimpleName());
        }
    }

    private static void addNodes(NodeReader reader, Map<String, @Nullable Object> body) throws SQLException {
        List<NodeReader.Node> nodes = reader.nodes();
        Set<String> silent = nodes.stream()
                .filter(node -> node.silentSeconds() >= SILENT_SECONDS)
                .map(NodeReader.Node::name)
                .collect(Collectors.toCollection(TreeSet::new));
        List<NodeReader.Handler> handlers = reader.handlers().stream()
                .filter(handler -> !silent.contains(handler.node()))
                .toList();
        Set<String> paused = handlers.stream()
                .filter(handler -> handler.paused() || handler.disabled())
                .map(NodeReader.Handler::name)
                .collect(Collectors.toCollection(TreeSet::new));
        reader.switches().stream().filter(NodeReader.Switch::paused).forEach(one -> paused.add(one.handler()));
        body.put(
                "openBreakers",
                handlers.stream()
                        .filter(handler -> handler.breaker().equals("open"))
                        .map(NodeReader.Handler::name)
                        .collect(Collectors.toCollection(TreeSet::new)));
        body.put("pausedHandlers", paused);
        body.put("silentNodes", silent);
        body.put("noNodeAlive", !nodes.isEmpty() && silent.size() == nodes.size());
    }
}
