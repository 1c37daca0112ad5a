package outbox.control.http;

import static org.awaitility.Awaitility.await;

import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.control.source.Application;
import outbox.control.source.ErrorGroups;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/**
 * How long each request of each page takes on a large table, over HTTP, one at a time, with the sampler running. Run by
 * {@code ./benchmark control-center --rows 10000000}; with {@code --update-docs} the table goes into
 * docs/control-center.md.
 */
public final class PagesBenchmark {
    private static final int WARM_UP = 5;
    private static final double GOAL_MILLIS = 300;
    private static final Path DOCS = Path.of("../../docs/control-center.md");
    private static final String BEGIN = "<!-- benchmark control-center begin -->";
    private static final String END = "<!-- benchmark control-center end -->";

    private final WebFixture web;
    private final ControlCenter center;
    private final Random random = new Random(42);
    private final List<String> ids = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final int requests;
    private final StringBuilder table = new StringBuilder();
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
            SchemaFile.ofNodes("postgresql").apply(pool);
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
                benchmark.run();
                benchmark.runWithTheOptionalIndex(pool);
                benchmark.report(rows, arguments);
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

    private void report(long rows, String[] arguments) throws IOException {
        String report = String.format(
                "Measured %s UTC by `./benchmark control-center %s`: %,d rows, %d requests each. Machine: %d × %s, %,d MB; %s;"
                        + " load average at the end %.1f. Server: PostgreSQL with its default settings.%n%n%s%n"
                        + "%d of them have a 95th percentile above %.0f ms.",
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT)
                        .format(Instant.now().atOffset(ZoneOffset.UTC)),
                String.join(" ", arguments),
                rows,
                requests,
                Runtime.getRuntime().availableProcessors(),
                cpu(),
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize() >> 20,
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                table,
                late,
                GOAL_MILLIS);
        System.out.println("\n" + report);
        if (List.of(arguments).contains("--update-docs")) {
            String page = Files.readString(DOCS);
            int from = page.indexOf(BEGIN) + BEGIN.length();
            Files.writeString(
                    DOCS, page.substring(0, from) + "\n\n" + report + "\n\n" + page.substring(page.indexOf(END)));
        }
    }

    private static String cpu() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        }
    }

    private void run() throws Exception {
        table.append("| page | request | p50 ms | p95 ms |\n| --- | --- | ---: | ---: |\n");
        String events = "/apps/orders/events";
        get("Applications", "all", () -> "/apps");
        get("Overview", "figures", () -> "/apps/orders/overview");
        get("Overview", "history of 30 days", () -> "/apps/orders/history?range=30d");
        get("Overview", "event types", () -> "/apps/orders/types");
        get("Events", "suggestions", () -> "/apps/orders/suggestions");
        get("Events", "export of 1 000 dead events", () -> "/apps/orders/export?state=dead&limit=1000");
        get("Overview, Error groups", "error groups, as everybody gets them", () -> "/apps/orders/errors");
        measure("Error groups", "one look of the sampler for all", () -> {
            new ErrorGroups(
                            center.source("orders").application(),
                            center.source("orders").reader())
                    .read();
            return 200;
        });
        measure("Overview", "counts of the sampler", () -> {
            center.source("orders").reader().counts();
            return 200;
        });
        Map<String, Supplier<String>> lists = new LinkedHashMap<>();
        lists.put("newest", () -> "");
        lists.put("oldest first", () -> "?order=oldest");
        for (String state : List.of("new", "scheduled", "held", "retry", "dead", "done")) {
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
        get("Overview", "doctor, as everybody gets it", () -> "/apps/orders/doctor");
        get("Overview, Nodes", "nodes", () -> "/apps/orders/nodes");
        get("Handlers", "handlers", () -> "/apps/orders/handlers");
        get("Alerts", "alerts and mutes", () -> "/apps/orders/alerts");
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
        String operation = startedOperation();
        get("Operations", "list", () -> "/apps/orders/operations");
        get("every page", "banner", () -> "/apps/orders/status");
        get("Failures", "newest", () -> "/apps/orders/failures");
        get(
                "Failures",
                "permanent, of the last day",
                () -> "/apps/orders/failures?from=P1D&action=outbox-failed-permanent");
        get("Operations", "what became of its events", () -> "/apps/orders/operations/" + operation + "/aftermath");
        get("Operations", "one of them", () -> "/apps/orders/operations/" + operation);
        get("Operations", "its results", () -> "/apps/orders/operations/" + operation + "/items");
        get("Events", "saved views", () -> "/apps/orders/views");
        get("Audit", "newest", () -> "/audit");
    }

    /** It is created last, so that the searches above are those of a table without it. */
    private void runWithTheOptionalIndex(HikariDataSource pool) throws Exception {
        try (Connection conn = pool.getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("CREATE INDEX outbox_event_aggregate ON outbox_event (aggregate_id, event_id)");
        }
        String aggregate = "/apps/orders/events?aggregateId=order-";
        await().atMost(Duration.ofMinutes(2)) // readers look for the index once a minute
                .until(() -> web.send("GET", "/api/v1" + aggregate + "1", "root", null)
                        .body()
                        .contains("\"partial\":false"));
        get("Events", "of an aggregate, with the optional index", () -> aggregate + random.nextInt(1_000_000));
        get(
                "Events",
                "dead, of an aggregate, with the optional index",
                () -> aggregate + random.nextInt(1_000_000) + "&state=dead");
    }

    /** One that writes down as many events as an operation takes, and does nothing to them. */
    private String startedOperation() throws Exception {
        String body = web.send(
                        "POST",
                        "/api/v1/apps/orders/operations",
                        "root",
                        "{\"action\":\"park\",\"filter\":{\"state\":\"dead\"},\"reason\":\"a benchmark\",\"perSecond\":1}",
                        SameOrigin.HEADER,
                        "1")
                .body();
        return body.replaceFirst(".*?\"id\":\"([^\"]+)\".*", "$1");
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
        String line = String.format("| %s | %s | %.1f | %.1f |%n", page, name, times.get(times.size() / 2), p95);
        System.out.print(line);
        table.append(line);
    }
}
