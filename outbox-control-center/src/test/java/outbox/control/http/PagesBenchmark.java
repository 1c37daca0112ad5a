package outbox.control.http;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.control.db.ControlSchema;
import outbox.control.source.Application;
import outbox.control.source.ErrorGroups;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/**
 * How long each request of each page takes on a large table, over HTTP, one at a time, with the sampler running. Run by
 * {@code ./benchmark control-center --rows 10000000}; prints a table for docs/control-center.md.
 */
public final class PagesBenchmark {
    private static final int WARM_UP = 5;
    private static final double GOAL_MILLIS = 300;

    private final WebFixture web;
    private final ControlCenter center;
    private final Random random = new Random(42);
    private final List<String> ids = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final int requests;
    private int late;

    private PagesBenchmark(WebFixture web, ControlCenter center, int requests) {
        this.web = web;
        this.center = center;
        this.requests = requests;
    }

    public static void main(String[] arguments) throws Exception {
        long rows = option(arguments, "--rows", 10_000_000);
        int requests = (int) option(arguments, "--requests", 100);
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(database.jdbcUrl());
            pool.setUsername(database.username());
            pool.setPassword(database.password());
            Application application = Application.of("orders", pool);
            try (Connection conn = pool.getConnection()) {
                application.store().schema().apply(conn);
            }
            ControlSchema.ofNodes("postgresql").apply(pool);
            new LargeTable(pool, rows).fill();
            ControlCenter center = ControlCenter.builder(pool, new AuditKey(new byte[32]))
                    .application(application)
                    .build();
            ControlCenterServlet servlet = new ControlCenterServlet(
                    center, WebFixture.operators(Map.of("root", Operator.everywhere("root", Role.ADMIN, true))));
            Path directory = Files.createTempDirectory("outbox-benchmark-");
            try (WebFixture web = new WebFixture(servlet, directory)) {
                PagesBenchmark benchmark = new PagesBenchmark(web, center, requests);
                benchmark.pickEvents(pool);
                benchmark.run(rows);
            }
        }
        System.exit(0);
    }

    private static long option(String[] arguments, String name, long otherwise) {
        for (int i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals(name)) {
                return Long.parseLong(arguments[i + 1].replace("_", ""));
            }
        }
        return otherwise;
    }

    private void pickEvents(HikariDataSource pool) throws Exception {
        for (Map.Entry<String, List<String>> kind :
                Map.of("TRUE", ids, "status = 3", failed).entrySet()) {
            try (Connection conn = pool.getConnection();
                    Statement statement = conn.createStatement();
                    ResultSet row = statement.executeQuery("SELECT event_id FROM outbox_event TABLESAMPLE SYSTEM (1)"
                            + " WHERE " + kind.getKey() + " LIMIT 500")) {
                while (row.next()) {
                    kind.getValue().add(row.getString(1));
                }
            }
        }
    }

    private void run(long rows) throws Exception {
        System.out.printf("%n%,d rows, %d requests each, milliseconds%n%n", rows, requests);
        System.out.println("| page | request | p50 | p95 |\n| --- | --- | ---: | ---: |");
        String events = "/apps/orders/events";
        get("Overview", "figures", () -> "/apps/orders/overview");
        get("Overview, Error groups", "error groups, as everybody gets them", () -> "/apps/orders/errors");
        measure("Error groups", "one look for all", () -> {
            new ErrorGroups(center.source("orders").application()).read();
            return 200;
        });
        measure("Overview", "counts of the sampler", () -> {
            center.source("orders").reader().counts();
            return 200;
        });
        Map<String, Supplier<String>> lists = new LinkedHashMap<>();
        lists.put("newest", () -> "");
        lists.put("oldest first", () -> "?order=oldest");
        for (String state : List.of("new", "retry", "dead", "done")) {
            lists.put("state " + state, () -> "?state=" + state);
        }
        lists.put("state retry and dead", () -> "?state=retry,dead");
        lists.put("dead, of a type", () -> "?state=dead&type=Event" + random.nextInt(20));
        lists.put("dead, with a text in the error", () -> "?state=dead&error=service%20" + random.nextInt(30));
        lists.put("dead, of a tenant", () -> "?state=dead&tenant=tenant-" + random.nextInt(50));
        lists.put("of a type", () -> "?type=Event" + random.nextInt(20));
        lists.put("of an aggregate (no index: partial)", () -> "?aggregateId=order-" + random.nextInt(1_000_000));
        lists.put("with a text in the error (no index: partial)", () -> "?error=nowhere");
        lists.put("by id", () -> "?id=" + any(ids));
        lists.put("by the beginning of an id", () -> "?id=" + any(ids).substring(0, 8) + "*");
        lists.put("of the last hour", () -> "?from=PT1H");
        lists.put("older than a week", () -> "?to=P7D");
        for (Map.Entry<String, Supplier<String>> list : lists.entrySet()) {
            get("Events", list.getKey(), () -> events + list.getValue().get());
        }
        for (String state : List.of("", "dead", "done")) {
            List<String> cursors = cursors(events + "?size=200" + (state.isEmpty() ? "" : "&state=" + state));
            get(
                    "Events",
                    "page 2 to 30 of " + (state.isEmpty() ? "all" : state),
                    () -> events + "?cursor=" + any(cursors) + (state.isEmpty() ? "" : "&state=" + state));
        }
        get("Event", "event", () -> events + "/" + any(ids));
        get("Event", "attempts", () -> events + "/" + any(failed) + "/attempts");
        get("Event", "handlers", () -> events + "/" + any(failed) + "/handlers");
        get("Event", "same aggregate", () -> events + "/" + any(ids) + "/neighbours");
        get("Event", "payload, audited", () -> events + "/" + any(ids) + "/payload");
        send(
                "Operations",
                "dry run, dead of a type",
                "/apps/orders/operations/dry-run",
                () -> "{\"action\":\"retry\",\"filter\":{\"state\":\"dead\",\"type\":\"Event" + random.nextInt(20)
                        + "\"}}");
        get("Operations", "list", () -> "/apps/orders/operations");
        get("Events", "saved views", () -> "/apps/orders/views");
        get("Audit", "newest", () -> "/audit");
        System.out.printf("%n%d requests have a p95 above %.0f ms%n", late, GOAL_MILLIS);
    }

    private String any(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }

    private List<String> cursors(String first) throws Exception {
        List<String> found = new ArrayList<>();
        String path = first;
        for (int page = 0; page < 30; page++) {
            HttpResponse<String> answer = web.send("GET", "/api/v1" + path, "root", null);
            java.util.regex.Matcher next =
                    java.util.regex.Pattern.compile("\"next\":\"([^\"]+)\"").matcher(answer.body());
            if (!next.find()) {
                break;
            }
            found.add(next.group(1));
            path = first + "&cursor=" + next.group(1);
        }
        return found;
    }

    private void get(String page, String request, Supplier<String> path) throws Exception {
        measure(
                page,
                request,
                () -> web.send("GET", "/api/v1" + path.get(), "root", null).statusCode());
    }

    private void send(String page, String request, String path, Supplier<String> body) throws Exception {
        measure(
                page,
                request,
                () -> web.send("POST", "/api/v1" + path, "root", body.get(), SameOrigin.HEADER, "1")
                        .statusCode());
    }

    private interface Request {
        int send() throws Exception;
    }

    private void measure(String page, String name, Request request) throws Exception {
        List<Double> times = new ArrayList<>();
        for (int i = 0; i < requests + WARM_UP; i++) {
            long start = System.nanoTime();
            int status = request.send();
            if (status != 200) {
                throw new IOException(page + ", " + name + " answered " + status);
            }
            if (i >= WARM_UP) {
                times.add((System.nanoTime() - start) / 1e6);
            }
        }
        times.sort(null);
        double p95 = times.get((int) (times.size() * 0.95));
        late += p95 > GOAL_MILLIS ? 1 : 0;
        System.out.printf("| %s | %s | %.1f | %.1f |%n", page, name, times.get(times.size() / 2), p95);
    }
}
