package outbox.control.http;

import static outbox.control.http.Schemas.fields;
import static outbox.control.http.Schemas.flag;
import static outbox.control.http.Schemas.integer;
import static outbox.control.http.Schemas.list;
import static outbox.control.http.Schemas.mapOf;
import static outbox.control.http.Schemas.nullable;
import static outbox.control.http.Schemas.number;
import static outbox.control.http.Schemas.oneOf;
import static outbox.control.http.Schemas.text;
import static outbox.control.http.Schemas.time;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Accounts;
import outbox.control.access.Role;
import outbox.control.act.EventAction;
import outbox.control.act.Operation;
import outbox.control.act.Operations;
import outbox.control.alert.Alert;
import outbox.control.alert.AlertMetric;
import outbox.control.alert.AlertRule;
import outbox.control.alert.Alerts;
import outbox.control.alert.ChannelKind;
import outbox.control.alert.Channels;
import outbox.control.alert.Mute;
import outbox.control.audit.AuditEntry;
import outbox.control.live.HistoryPoint;
import outbox.control.live.Sample;
import outbox.control.live.TypeLag;
import outbox.control.source.AttemptReader;
import outbox.control.source.CdcReader;
import outbox.control.source.ConsumptionReader;
import outbox.control.source.ErrorGroups;
import outbox.control.source.EventDetail;
import outbox.control.source.EventPage;
import outbox.control.source.FailureReader;
import outbox.control.source.FilterText;
import outbox.control.source.Hold;
import outbox.control.source.Neighbours;
import outbox.control.source.NodeReader;
import outbox.control.source.ScheduledJobs;
import outbox.control.source.Suggestions;
import outbox.control.view.SavedView;

/** The bodies of requests and answers of every route, for the API document. */
final class ApiShapes {
    /** The only media type of requests, and that of answers unless another one is named. */
    static final String JSON = "application/json";

    private final Schemas schemas = new Schemas();
    private final Map<String, Shape> shapes = new LinkedHashMap<>();

    /**
     * What a route takes and answers.
     *
     * @param request {@code null} if it takes no body
     * @param status of success
     * @param content schema by media type
     */
    record Shape(@Nullable Map<String, Object> request, int status, Map<String, Map<String, Object>> content) {}

    ApiShapes() {
        session();
        announcement();
        metrics();
        events();
        operations();
        nodes();
        alerts();
        audit();
        accounts();
    }

    /** @throws IllegalStateException if the route is not described here */
    Shape of(Route route) {
        Shape shape = shapes.get(route.method() + " " + route.path());
        if (shape == null) {
            throw new IllegalStateException("no shape for " + route.method() + " " + route.path());
        }
        return shape;
    }

    /** The schemas that others refer to. */
    Map<String, Object> named() {
        return schemas.named();
    }

    private void get(String path, Map<String, Object> answer) {
        shapes.put("GET " + path, new Shape(null, 200, Map.of(JSON, answer)));
    }

    private void get(String path, Class<? extends Record> answer) {
        get(path, schemas.of(answer));
    }

    private void file(String path, String... mediaTypes) {
        Map<String, Map<String, Object>> content = new LinkedHashMap<>();
        for (String mediaType : mediaTypes) {
            content.put(mediaType, text());
        }
        shapes.put("GET " + path, new Shape(null, 200, content));
    }

    /** @param route method and path */
    private void change(String route, int status, @Nullable Map<String, Object> request, Map<String, Object> answer) {
        shapes.put(route, new Shape(request, status, Map.of(JSON, answer)));
    }

    private static Map<String, Object> only(String name, Map<String, Object> schema) {
        return fields().with(name, schema).schema();
    }

    private void session() {
        get("/health", only("status", oneOf("up", "down")));
        get("/openapi.json", Map.of("type", "object"));
        Map<String, Object> application = fields().with("name", text())
                .with("log", flag())
                .with("jobs", flag())
                .with("act", flag())
                .with("clone", flag())
                .with("payloads", flag())
                .with("admin", flag())
                .schema();
        get(
                "/session",
                fields().with("operator", nullable(text()))
                        .with("login", flag())
                        .with("setup", flag())
                        .with("logins", mapOf(text()))
                        .with("headers", mapOf(text()))
                        .maybe("admin", flag())
                        .maybe("password", flag())
                        .maybe("readOnly", flag())
                        .maybe("traceLink", nullable(text()))
                        .maybe("applications", list(application))
                        .schema());
        get(
                "/settings",
                fields().with("version", text())
                        .with("readOnly", flag())
                        .with("traceLink", nullable(text()))
                        .with("masked", list(text()))
                        .with("mail", flag())
                        .with(
                                "applications",
                                list(fields().with("name", text())
                                        .with("database", text())
                                        .with("table", nullable(text()))
                                        .with("apiUrl", nullable(text()))
                                        .with("problem", nullable(text()))
                                        .schema()))
                        .schema());
    }

    private void announcement() {
        String route = "/apps/{app}/announcement";
        change(
                "PUT " + route,
                200,
                fields().with("apiUrl", text())
                        .with("token", text())
                        .maybe("application", text())
                        .schema(),
                fields().with("name", text()).with("apiUrl", text()).schema());
        change("DELETE " + route, 200, null, only("name", text()));
    }

    private void metrics() {
        get(
                "/apps",
                only(
                        "applications",
                        list(fields().with("name", text())
                                .with("database", text())
                                .with("deliveredFromLog", flag())
                                .with("announced", flag())
                                .with("problem", nullable(text()))
                                .with("sample", nullable(schemas.of(Sample.class)))
                                .with("successPercent", nullable(number()))
                                .with("deliveredPerMinute", list(number()))
                                .schema())));
        get(
                "/apps/{app}/overview",
                fields().with("application", text())
                        .with("database", text())
                        .with("table", nullable(text()))
                        .with("deliveredFromLog", flag())
                        .with("problem", nullable(text()))
                        .with("samples", list(schemas.of(Sample.class)))
                        .schema());
        file("/apps/{app}/stream", "text/event-stream");
        get(
                "/apps/{app}/history",
                fields().with("from", time())
                        .with("to", time())
                        .with("intervalSeconds", integer())
                        .with("points", list(schemas.of(HistoryPoint.class)))
                        .schema());
        get("/apps/{app}/types", only("types", list(schemas.of(TypeLag.class))));
        get("/apps/{app}/relay", CdcReader.Overview.class);
        get(
                "/apps/{app}/status",
                fields().maybe("openBreakers", list(text()))
                        .maybe("pausedHandlers", list(text()))
                        .maybe("silentNodes", list(text()))
                        .maybe("noNodeAlive", flag())
                        .maybe("stoppedRelays", list(text()))
                        .maybe("away", flag())
                        .with("problem", nullable(text()))
                        .with("sampledAt", nullable(time()))
                        .with("dead", nullable(integer()))
                        .with("heldBack", nullable(integer()))
                        .with("holds", list(schemas.of(Hold.class)))
                        .schema());
        get(
                "/apps/{app}/doctor",
                fields().with("examinedAt", time())
                        .with("database", text())
                        .with("version", text())
                        .with("table", text())
                        .with("healthy", flag())
                        .with(
                                "answers",
                                list(texts("question", "text", "verdict", "evidence")
                                        .schema()))
                        .with(
                                "findings",
                                list(texts("code", "severity", "seen", "why", "fix", "runbook")
                                        .maybe("sql", text())
                                        .schema()))
                        .with("unseen", list(texts("what", "why").schema()))
                        .schema());
    }

    private static Schemas.Fields texts(String... names) {
        Schemas.Fields fields = fields();
        for (String name : names) {
            fields.with(name, text());
        }
        return fields;
    }

    private void events() {
        String one = "/apps/{app}/events/{id}";
        get("/apps/{app}/events", EventPage.class);
        get(one, EventDetail.class);
        get(one + "/neighbours", Neighbours.class);
        get(one + "/attempts", recorded("attempts", AttemptReader.Attempt.class));
        get(one + "/handlers", recorded("handlers", ConsumptionReader.HandlerState.class));
        get(
                one + "/payload",
                fields().with("payload", text()).with("json", flag()).schema());
        Map<String, Object> reason = fields().maybe("reason", text()).schema();
        for (EventAction action : EventAction.OF_ONE_EVENT) {
            change(
                    action == EventAction.DELETE ? "DELETE " + one : "POST " + one + "/" + action.verb(),
                    200,
                    reason,
                    fields().with("id", text()).with("action", oneOf(action)).schema());
        }
        change(
                "POST " + one + "/clone",
                201,
                fields().maybe("type", text())
                        .maybe("aggregateType", text())
                        .maybe("aggregateId", text())
                        .maybe("tenant", text())
                        .maybe("payload", text())
                        .maybe("headers", mapOf(nullable(text())))
                        .maybe("reason", text())
                        .schema(),
                texts("id", "clonedFrom").schema());
        file("/apps/{app}/export", "application/x-ndjson", "text/csv");
        get("/apps/{app}/suggestions", Suggestions.class);
        get("/apps/{app}/errors", ErrorGroups.Overview.class);
        get("/apps/{app}/failures", FailureReader.Page.class);
        get("/apps/{app}/views", only("views", list(schemas.of(SavedView.class))));
        change(
                "POST /apps/{app}/views",
                201,
                fields().with("name", text())
                        .maybe("filter", text())
                        .maybe("shared", flag())
                        .schema(),
                schemas.of(SavedView.class));
        change("DELETE /apps/{app}/views/{id}", 200, null, texts("id").schema());
    }

    private Map<String, Object> recorded(String name, Class<? extends Record> type) {
        return fields().with("recorded", flag())
                .with(name, list(schemas.of(type)))
                .schema();
    }

    private void operations() {
        String one = "/apps/{app}/operations/{id}";
        get("/apps/{app}/operations", page("operations", Operation.class));
        get(one, Operation.class);
        get(one + "/aftermath", Operations.Aftermath.class);
        get(one + "/items", page("items", Operation.Item.class));
        change("POST /apps/{app}/operations/dry-run", 200, selection().schema(), schemas.of(Operations.DryRun.class));
        change(
                "POST /apps/{app}/operations",
                201,
                selection()
                        .with("reason", text())
                        .maybe("perSecond", integer(1, Operations.MAX_PER_SECOND))
                        .schema(),
                schemas.of(Operation.class));
        for (String act : List.of("pause", "resume", "cancel")) {
            change("POST " + one + "/" + act, 200, null, schemas.of(Operation.class));
        }
    }

    private Map<String, Object> page(String name, Class<? extends Record> type) {
        return fields().with(name, list(schemas.of(type)))
                .with("next", nullable(text()))
                .schema();
    }

    /** An action and its events. */
    private static Schemas.Fields selection() {
        Schemas.Fields filter = fields();
        FilterText.NAMES.forEach(name -> filter.maybe(name, text()));
        return fields().with("action", oneOf((Object[]) EventAction.values()))
                .maybe("filter", Map.of("anyOf", List.of(text(), filter.schema())))
                .maybe("ids", list(text()))
                .maybe("errorGroup", text())
                .maybe("handler", text());
    }

    private void nodes() {
        get(
                "/apps/{app}/nodes",
                fields().with("known", flag())
                        .with("nodes", list(schemas.of(NodeReader.Node.class)))
                        .schema());
        get(
                "/apps/{app}/handlers",
                fields().with("known", flag())
                        .with("handlers", list(schemas.of(NodeReader.Handler.class)))
                        .with("switches", list(schemas.of(NodeReader.Switch.class)))
                        .with("commands", list(schemas.of(NodeReader.Command.class)))
                        .schema());
        change("DELETE /apps/{app}/nodes/{id}", 200, null, texts("node").schema());
        get("/apps/{app}/jobs", only("jobs", list(schemas.of(ScheduledJobs.Job.class))));
        for (String act : List.of("start", "stop", "trigger")) {
            change(
                    "POST /apps/{app}/jobs/{id}/" + act,
                    200,
                    fields().maybe("reason", text()).schema(),
                    texts("job", "handler").schema());
        }
        for (String act : List.of("pause", "resume", "enable", "test", "rotate")) {
            change(
                    "POST /apps/{app}/handlers/{name}/" + act,
                    200,
                    act.equals("pause") || act.equals("resume")
                            ? fields().maybe("reason", text()).schema()
                            : null,
                    texts("handler").schema());
        }
    }

    private void alerts() {
        get(
                "/apps/{app}/alerts",
                fields().with("alerts", list(schemas.of(Alert.class)))
                        .with("mutes", list(schemas.of(Mute.class)))
                        .with(
                                "rules",
                                mapOf(fields().with("name", text())
                                        .with("metric", oneOf((Object[]) AlertMetric.values()))
                                        .with("threshold", number())
                                        .with("runbook", text())
                                        .schema()))
                        .schema());
        change(
                "POST /apps/{app}/alerts/mutes",
                201,
                fields().maybe("rule", text())
                        .with("reason", text())
                        .with("minutes", integer(1, AlertRoutes.MAX_MINUTES))
                        .schema(),
                schemas.of(Mute.class));
        change("DELETE /apps/{app}/alerts/mutes/{id}", 200, null, texts("id").schema());
        get("/alerts/rules", only("rules", list(schemas.of(AlertRule.class))));
        Map<String, Object> rule = fields().with("name", text())
                .with("application", text())
                .with("metric", oneOf((Object[]) AlertMetric.values()))
                .with("threshold", number())
                .with("forSeconds", integer(0, AlertRoutes.MAX_SECONDS))
                .with("reminderMinutes", integer(0, AlertRoutes.MAX_MINUTES))
                .maybe("channels", list(text()))
                .maybe("enabled", flag())
                .schema();
        change("POST /alerts/rules", 201, rule, schemas.of(AlertRule.class));
        change("PUT /alerts/rules/{id}", 200, rule, schemas.of(AlertRule.class));
        change("DELETE /alerts/rules/{id}", 200, null, texts("id").schema());
        get(
                "/alerts/channels",
                fields().with("channels", list(schemas.of(Channels.Channel.class)))
                        .with("mail", flag())
                        .schema());
        change(
                "POST /alerts/channels",
                201,
                fields().with("name", text())
                        .with("kind", oneOf((Object[]) ChannelKind.values()))
                        .maybe("url", text())
                        .maybe("secret", text())
                        .maybe("to", text())
                        .schema(),
                schemas.of(Channels.Channel.class));
        change("DELETE /alerts/channels/{id}", 200, null, texts("id").schema());
        change(
                "POST /alerts/channels/{id}/test",
                200,
                null,
                fields().with("ok", flag()).with("error", nullable(text())).schema());
        get("/alerts/deliveries", only("deliveries", list(schemas.of(Alerts.Delivery.class))));
    }

    private void audit() {
        get("/audit", auditPage());
        get(
                "/audit/verify",
                fields().with("entries", integer())
                        .with("intact", flag())
                        .with("problems", list(text()))
                        .schema());
        file("/audit/export", "application/x-ndjson");
    }

    private Map<String, Object> auditPage() {
        return fields().with("entries", list(schemas.of(AuditEntry.class)))
                .with("next", nullable(integer()))
                .schema();
    }

    private void accounts() {
        change(
                "POST /setup",
                201,
                texts("token", "name", "password").schema(),
                texts("name").schema());
        get("/users", only("users", list(schemas.of(Accounts.User.class))));
        Map<String, Object> user = schemas.of(Accounts.User.class);
        change("POST /users", 201, rights(texts("name", "password")), user);
        change("PUT /users/{name}", 200, rights(fields()), user);
        change("POST /users/{name}/disable", 200, null, user);
        change("POST /users/{name}/enable", 200, null, user);
        change("POST /users/{name}/password", 200, texts("password").schema(), user);
        change(
                "POST /password",
                200,
                texts("current", "password").schema(),
                texts("name").schema());
        get("/tokens", only("tokens", list(schemas.of(Accounts.Token.class))));
        change(
                "POST /tokens",
                201,
                rights(texts("name").with("days", integer(1, (int) Accounts.MAX_TOKEN_LIFE.toDays()))),
                fields().with("token", schemas.of(Accounts.Token.class))
                        .with("secret", text())
                        .schema());
        change("DELETE /tokens/{id}", 200, null, texts("id").schema());
    }

    private static Map<String, Object> rights(Schemas.Fields fields) {
        return fields.with("roles", mapOf(oneOf((Object[]) Role.values())))
                .maybe("payloads", flag())
                .maybe("clones", flag())
                .schema();
    }
}
