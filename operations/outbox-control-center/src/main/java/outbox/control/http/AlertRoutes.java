package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.access.Permission;
import outbox.control.alert.AlertMetric;
import outbox.control.alert.AlertRule;
import outbox.control.alert.Alerts;
import outbox.control.alert.Channels;
import outbox.control.alert.Mute;

/** Alerts of an application for its users; rules and channels for admins. Secrets are never returned. */
final class AlertRoutes {
    static final int MAX_SECONDS = (int) Duration.ofDays(1).toSeconds();
    static final int MAX_MINUTES = (int) Duration.ofDays(30).toMinutes();

    private final ControlCenter center;
    private final Alerts alerts;
    private final AuditTrail trail;

    AlertRoutes(ControlCenter center, AuditTrail trail) {
        this.center = center;
        this.alerts = center.alerts();
        this.trail = trail;
    }

    List<Route> routes() {
        List<Route> routes = new ArrayList<>(List.of(
                Route.of("GET", "/apps/{app}/alerts", Permission.VIEW, "Alerts, newest first", this::ofApplication),
                Route.of("GET", "/alerts/rules", Permission.ADMIN, "Rules", this::rules),
                Route.of("GET", "/alerts/channels", Permission.ADMIN, "Channels, without secrets", this::channels),
                Route.of("GET", "/alerts/deliveries", Permission.ADMIN, "Sent messages", this::deliveries)));
        if (!center.isReadOnly()) {
            routes.add(Route.of(
                    "POST", "/apps/{app}/alerts/mutes", Permission.ACT, "Mutes alerts for a while", this::mute));
            routes.add(
                    Route.of("DELETE", "/apps/{app}/alerts/mutes/{id}", Permission.ACT, "Ends a mute", this::unmute));
            routes.add(Route.of("POST", "/alerts/rules", Permission.ADMIN, "Creates a rule", this::createRule));
            routes.add(Route.of("PUT", "/alerts/rules/{id}", Permission.ADMIN, "Changes a rule", this::updateRule));
            routes.add(Route.of("DELETE", "/alerts/rules/{id}", Permission.ADMIN, "Deletes a rule", this::deleteRule));
            routes.add(
                    Route.of("POST", "/alerts/channels", Permission.ADMIN, "Creates a channel", this::createChannel));
            routes.add(Route.of(
                    "DELETE", "/alerts/channels/{id}", Permission.ADMIN, "Deletes a channel", this::deleteChannel));
            routes.add(Route.of(
                    "POST", "/alerts/channels/{id}/test", Permission.ADMIN, "Sends a test message", this::test));
        }
        return routes;
    }

    private void ofApplication(Exchange exchange) throws IOException, SQLException {
        String application = Sources.name(center, exchange);
        Map<String, Map<String, Object>> rules = new LinkedHashMap<>();
        for (AlertRule rule : rulesOf(application)) {
            rules.put(
                    rule.id(),
                    Map.of(
                            "name", rule.name(),
                            "metric", rule.metric(),
                            "threshold", rule.threshold(),
                            "runbook", rule.metric().runbook()));
        }
        exchange.json(
                200, Map.of("alerts", alerts.of(application), "mutes", alerts.mutes(application), "rules", rules));
    }

    /** Rules of other applications are not visible here. */
    private List<AlertRule> rulesOf(String application) throws SQLException {
        return alerts.rules().stream()
                .filter(rule -> rule.application().equals(application)
                        || rule.application().equals(Operator.EVERYWHERE))
                .toList();
    }

    private void rules(Exchange exchange) throws IOException, SQLException {
        exchange.json(200, Map.of("rules", alerts.rules()));
    }

    private void channels(Exchange exchange) throws IOException, SQLException {
        exchange.json(
                200,
                Map.of(
                        "channels",
                        alerts.channels().all(),
                        "mail",
                        alerts.channels().hasMail()));
    }

    private void deliveries(Exchange exchange) throws IOException, SQLException {
        exchange.json(200, Map.of("deliveries", alerts.deliveries()));
    }

    private void mute(Exchange exchange) throws IOException, SQLException {
        String application = Sources.name(center, exchange);
        String rule = exchange.optionalText("rule");
        if (rule != null
                && rulesOf(application).stream().noneMatch(one -> one.id().equals(rule))) {
            throw new ApiException(400, "there is no rule " + rule + " for '" + application + "'");
        }
        Mute mute = alerts.mute(
                application,
                rule,
                exchange.text("reason"),
                Duration.ofMinutes(exchange.wholeNumber("minutes", 1, MAX_MINUTES)),
                exchange.operator().name());
        trail.add(exchange, "alert.mute", application, mute.ruleId(), "ok", mute.reason() + ", until " + mute.until());
        exchange.json(201, mute);
    }

    private void unmute(Exchange exchange) throws IOException, SQLException {
        String application = Sources.name(center, exchange);
        boolean done = alerts.unmute(application, exchange.path("id"));
        trail.add(exchange, "alert.unmute", application, exchange.path("id"), done ? "ok" : "refused", null);
        if (!done) {
            throw new ApiException(404, "there is no mute " + exchange.path("id"));
        }
        exchange.json(200, Map.of("id", exchange.path("id")));
    }

    private void createRule(Exchange exchange) throws IOException, SQLException {
        AlertRule rule = alerts.create(rule(exchange, ""), exchange.operator().name());
        trail.add(exchange, "alert.rule.create", null, rule.name(), "ok", describe(rule));
        exchange.json(201, rule);
    }

    private void updateRule(Exchange exchange) throws IOException, SQLException {
        AlertRule rule = rule(exchange, exchange.path("id"));
        if (!alerts.update(rule)) {
            throw new ApiException(404, "there is no rule " + rule.id());
        }
        trail.add(exchange, "alert.rule.change", null, rule.name(), "ok", describe(rule));
        exchange.json(200, rule);
    }

    private void deleteRule(Exchange exchange) throws IOException, SQLException {
        if (!alerts.deleteRule(exchange.path("id"))) {
            throw new ApiException(404, "there is no rule " + exchange.path("id"));
        }
        trail.add(exchange, "alert.rule.delete", null, exchange.path("id"), "ok", null);
        exchange.json(200, Map.of("id", exchange.path("id")));
    }

    private static String describe(AlertRule rule) {
        return rule.metric().key() + " from " + rule.threshold() + " for " + rule.forSeconds() + " s in "
                + rule.application() + (rule.enabled() ? "" : ", off");
    }

    private AlertRule rule(Exchange exchange, String id) throws IOException {
        String application = exchange.text("application");
        if (!application.equals(Operator.EVERYWHERE) && !center.hasApplication(application)) {
            throw new ApiException(400, "there is no application '" + application + "'");
        }
        List<String> channels = new ArrayList<>();
        if (exchange.body().get("channels") instanceof List<?> given) {
            given.forEach(channel -> channels.add(String.valueOf(channel)));
        }
        return new AlertRule(
                id,
                exchange.text("name"),
                application,
                AlertMetric.parse(exchange.text("metric")),
                number(exchange, "threshold").doubleValue(),
                exchange.wholeNumber("forSeconds", 0, MAX_SECONDS),
                exchange.wholeNumber("reminderMinutes", 0, MAX_MINUTES),
                channels,
                exchange.flag("enabled"));
    }

    private static Number number(Exchange exchange, String name) throws IOException {
        if (exchange.body().get(name) instanceof Number number) {
            return number;
        }
        throw new ApiException(400, "the body needs a number '" + name + "'");
    }

    private void createChannel(Exchange exchange) throws IOException, SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String name : List.of("url", "secret", "to")) {
            String value = exchange.optionalText(name);
            if (value != null) {
                settings.put(name, value);
            }
        }
        Channels.Channel channel = alerts.channels()
                .create(
                        exchange.text("name"),
                        exchange.text("kind"),
                        settings,
                        exchange.operator().name(),
                        java.time.Instant.now());
        trail.add(
                exchange,
                "alert.channel.create",
                null,
                channel.name(),
                "ok",
                channel.kind().key() + ", " + channel.hint());
        exchange.json(201, channel);
    }

    private void deleteChannel(Exchange exchange) throws IOException, SQLException {
        if (!alerts.channels().delete(exchange.path("id"))) {
            throw new ApiException(404, "there is no channel " + exchange.path("id"));
        }
        trail.add(exchange, "alert.channel.delete", null, exchange.path("id"), "ok", null);
        exchange.json(200, Map.of("id", exchange.path("id")));
    }

    private void test(Exchange exchange) throws IOException, SQLException {
        Channels.Channel channel = alerts.channels().all().stream()
                .filter(one -> one.id().equals(exchange.path("id")))
                .findFirst()
                .orElseThrow(() -> new ApiException(404, "there is no channel " + exchange.path("id")));
        String error = alerts.test(channel, exchange.operator().name());
        trail.add(exchange, "alert.channel.test", null, channel.name(), error == null ? "ok" : "refused", error);
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("ok", error == null);
        body.put("error", error);
        exchange.json(200, body);
    }
}
