package outbox.testing.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.util.DaemonThreadFactory;

/**
 * An XXL-Job admin, simulated: groups and jobs in memory, behind the routes of one generation of its API. The real admin is
 * not published as an artifact. Thread-safe.
 */
public final class SimulatedXxlJobAdmin implements AutoCloseable {
    public static final String USER = "outbox";
    public static final String PASSWORD = "xxl secret & more";
    public static final String TOKEN = "token-for-tests";

    private static final long INTERVAL_MILLIS = 30_000;
    private static final String CONTEXT = "/xxl-job-admin";
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":(?:\"([^\"]*)\"|(\\d+))");

    private final Generation generation;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(new DaemonThreadFactory("xxl-job-admin-"));
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Map<Long, Map<String, String>> groups = new TreeMap<>();
    private final Map<Long, Map<String, String>> jobs = new TreeMap<>();
    private volatile Consumer<String> beforeAnswer = path -> {};
    private int sessions;
    private long ids;

    /** What differs between the versions of the admin. */
    public enum Generation {
        UP_TO_3_2,
        FROM_3_3,
        FROM_3_5
    }

    /** On a free port. */
    public SimulatedXxlJobAdmin(Generation generation) throws IOException {
        this(generation, 0);
    }

    public SimulatedXxlJobAdmin(Generation generation, int port) throws IOException {
        this.generation = generation;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext(CONTEXT + "/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + CONTEXT;
    }

    /** Paths of all requests so far, those of executors included. */
    public List<String> calls() {
        return calls;
    }

    public synchronized List<Map<String, String>> groups() {
        return List.copyOf(groups.values());
    }

    public synchronized List<Map<String, String>> jobs() {
        return jobs.values().stream().map(Map::copyOf).toList();
    }

    /** A started job of an executor, whose group is created if it is missing. @return its id */
    public synchronized String addJob(String appName, String handler, String description) {
        String group = groups.values().stream()
                .filter(one -> appName.equals(one.get("appname")))
                .map(one -> one.getOrDefault("id", ""))
                .findFirst()
                .orElse("");
        if (group.isEmpty()) {
            added(groups, Map.of("appname", appName, "title", appName));
            group = String.valueOf(ids);
        }
        added(
                jobs,
                Map.of(
                        "jobGroup",
                        group,
                        "jobDesc",
                        description,
                        "author",
                        "anna",
                        "scheduleType",
                        "FIX_RATE",
                        "scheduleConf",
                        "30",
                        "executorHandler",
                        handler));
        String id = String.valueOf(ids);
        changed(id, "start");
        return id;
    }

    /** A stopped job with these fields. @return its id */
    public synchronized String addStopped(Map<String, String> fields) {
        added(jobs, fields);
        return String.valueOf(ids);
    }

    public synchronized void removeJob(String id) {
        jobs.remove(Long.valueOf(id));
    }

    /**
     * Called with the path of each request before it is answered, on the thread of the request: what others do in between.
     * It may wait for other requests.
     */
    public void beforeAnswer(Consumer<String> others) {
        this.beforeAnswer = Objects.requireNonNull(others, "others");
    }

    /** Ends all sessions, as a restart of the admin does. */
    public synchronized void endSessions() {
        sessions++;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath().substring(CONTEXT.length());
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        calls.add(path);
        beforeAnswer.accept(path);
        String answer;
        synchronized (this) {
            answer = path.startsWith("/api/") ? api(exchange, path, body) : page(exchange, path, form(body));
        }
        if (answer == null) {
            boolean out = !path.equals("/login") && !path.equals("/auth/doLogin") && !isLoggedIn(exchange);
            if (out) {
                exchange.getResponseHeaders().set("Location", CONTEXT + "/toLogin");
            }
            exchange.sendResponseHeaders(out ? 302 : 404, -1);
        } else {
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }

    private boolean isOld() {
        return generation == Generation.UP_TO_3_2;
    }

    private synchronized boolean isLoggedIn(HttpExchange exchange) {
        return ("identity=" + sessions).equals(exchange.getRequestHeaders().getFirst("Cookie"));
    }

    /** {@code null}: there is no such route, or nobody is logged in. */
    private @Nullable String page(HttpExchange exchange, String path, Map<String, String> form) {
        if (path.equals(isOld() ? "/login" : "/auth/doLogin")) {
            if (!USER.equals(form.get("userName")) || !PASSWORD.equals(form.get("password"))) {
                return "{\"code\":500,\"msg\":\"wrong user or password\"}";
            }
            exchange.getResponseHeaders().add("Set-Cookie", "identity=" + sessions + "; Path=/; HttpOnly");
            return ok();
        }
        if (!isLoggedIn(exchange)) {
            return null;
        }
        String read = isOld() ? "id" : "ids[]";
        return switch (path) {
            case "/jobgroup/pageList" ->
                list(
                        form,
                        groups.values().stream()
                                .filter(group ->
                                        group.getOrDefault("appname", "").contains(form.getOrDefault("appname", "")))
                                .toList());
            case "/jobgroup/save" -> isOld() ? added(groups, form) : null;
            case "/jobgroup/insert" -> isOld() ? null : added(groups, form);
            case "/jobinfo/pageList" ->
                list(
                        form,
                        jobs.values().stream()
                                .filter(job -> Objects.equals(job.get("jobGroup"), form.get("jobGroup")))
                                .toList());
            case "/jobinfo/add" -> isOld() ? added(jobs, form) : null;
            case "/jobinfo/insert" -> isOld() ? null : added(jobs, form);
            case "/jobinfo/remove" -> isOld() ? changed(form.get("id"), "remove") : null;
            case "/jobinfo/delete" -> isOld() ? null : changed(form.get(read), "remove");
            case "/jobinfo/start" -> changed(form.get(read), "start");
            case "/jobinfo/stop" -> changed(form.get(read), "stop");
            case "/jobinfo/trigger" -> changed(form.get("id"), "trigger");
            default -> null;
        };
    }

    private String api(HttpExchange exchange, String path, String body) {
        if (List.of("/api/registry", "/api/registryRemove", "/api/callback").contains(path)) {
            return ok();
        }
        if (generation != Generation.FROM_3_5) {
            return "{\"code\":500,\"msg\":\"uri-mapping not found\"}";
        }
        String app = exchange.getRequestHeaders().getFirst("XXL-JOB-APPNAME");
        if (!TOKEN.equals(exchange.getRequestHeaders().getFirst("XXL-JOB-ACCESS-TOKEN")) || app == null) {
            return "{\"code\":500,\"msg\":\"the access token is wrong\"}";
        }
        Map<String, String> fields = new LinkedHashMap<>();
        Matcher field = FIELD.matcher(body);
        while (field.find()) {
            fields.put(field.group(1), field.group(2) == null ? field.group(3) : field.group(2));
        }
        return path.equals("/api/addJob")
                ? added(jobs, fields)
                : changed(fields.get("id"), path.replaceAll("/api/|Job", ""));
    }

    private static String ok() {
        return "{\"code\":200,\"msg\":null}";
    }

    private String added(Map<Long, Map<String, String>> rows, Map<String, String> fields) {
        Map<String, String> row = new LinkedHashMap<>(fields);
        row.put("id", String.valueOf(++ids));
        if (rows == jobs) {
            row.put("triggerStatus", "0");
            row.put("triggerLastTime", "0");
            row.put("triggerNextTime", "0");
        }
        rows.put(ids, row);
        return "{\"code\":200,\"content\":\"" + ids + "\"}";
    }

    private String changed(@Nullable String id, String what) {
        Map<String, String> job = id == null ? null : jobs.get(Long.valueOf(id));
        if (job == null) {
            return "{\"code\":500,\"msg\":\"there is no such job\"}";
        }
        long now = System.currentTimeMillis();
        switch (what) {
            case "remove" -> jobs.remove(Long.valueOf(id));
            case "start" -> {
                job.put("triggerStatus", "1");
                job.put("triggerNextTime", String.valueOf(now + INTERVAL_MILLIS));
            }
            case "stop" -> {
                job.put("triggerStatus", "0");
                job.put("triggerNextTime", "0");
            }
            case "trigger" -> job.put("triggerLastTime", String.valueOf(now));
            default -> {
                return "{\"code\":500,\"msg\":\"uri-mapping not found\"}";
            }
        }
        return ok();
    }

    /** A started job is never long due; that it runs is not simulated. */
    private static void schedule(Map<String, String> job, long now) {
        if ("1".equals(job.get("triggerStatus")) && Long.parseLong(job.getOrDefault("triggerNextTime", "0")) < now) {
            job.put("triggerNextTime", String.valueOf(now + INTERVAL_MILLIS));
        }
    }

    private String list(Map<String, String> form, List<Map<String, String>> found) {
        found.forEach(row -> schedule(row, System.currentTimeMillis()));
        int most = Integer.parseInt(form.getOrDefault(isOld() ? "length" : "pagesize", "10"));
        List<String> rows = new ArrayList<>();
        for (Map<String, String> row : found.subList(0, Math.min(most, found.size()))) {
            rows.add(row.entrySet().stream()
                    .filter(field -> field.getKey().matches("\\w+"))
                    .map(field -> "\"" + field.getKey() + "\":"
                            + (field.getKey().matches("id|jobGroup|trigger\\w+")
                                    ? field.getValue()
                                    : "\"" + field.getValue() + "\""))
                    .collect(Collectors.joining(",", "{", "}")));
        }
        return isOld()
                ? "{\"recordsTotal\":" + found.size() + ",\"data\":" + rows + "}"
                : "{\"code\":200,\"msg\":null,\"data\":{\"offset\":0,\"total\":" + found.size() + ",\"data\":" + rows
                        + "}}";
    }

    private static Map<String, String> form(String body) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String field : body.split("&", -1)) {
            String[] parts = field.split("=", 2);
            if (parts.length == 2) {
                fields.put(decoded(parts[0]), decoded(parts[1]));
            }
        }
        return fields;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
