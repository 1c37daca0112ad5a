package outbox.xxljob.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client of the XXL-Job admin for one executor group. Every method throws {@link XxlJobAdminException} if the admin cannot
 * be reached or refuses. Thread-safe.
 *
 * <pre>{@code
 * XxlJobAdmin admin = XxlJobAdmin.builder("http://localhost:8080/xxl-job-admin", "orders")
 *     .login("outbox", password)
 *     .build();
 * }</pre>
 */
public final class XxlJobAdmin {
    private static final String TOKEN_HEADER = "XXL-JOB-ACCESS-TOKEN";
    private static final String APP_HEADER = "XXL-JOB-APPNAME";
    private static final String MOST = "1000";

    private final AdminSession session;
    private final String appName;
    private final @Nullable String token;

    private XxlJobAdmin(Builder builder) {
        this.session = new AdminSession(builder.addresses, builder.user, builder.password, builder.api);
        this.appName = builder.appName;
        this.token = builder.token;
    }

    /**
     * @param addresses comma-separated URLs of the admins, which share one database; the first that answers is used
     * @param appName name of the executor
     */
    public static Builder builder(String addresses, String appName) {
        return new Builder(addresses, appName);
    }

    public String appName() {
        return appName;
    }

    /** Ids of the groups of this executor, lowest first. */
    List<Long> groups() {
        Map<String, String> fields = page();
        fields.put("appname", appName);
        fields.put("title", "");
        return rows(session.form("/jobgroup/pageList", fields)).stream()
                .filter(group -> text(group, "appname").equals(appName)) // the admin searches for parts of names
                .map(group -> group.get("id").getAsLong())
                .sorted()
                .toList();
    }

    void addGroup(String title) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("appname", appName);
        fields.put("title", title);
        fields.put("addressType", "0");
        session.form(isForm() ? "/jobgroup/save" : "/jobgroup/insert", fields);
    }

    /** The jobs of this executor in the order of their ids; empty if the admin does not know the executor. */
    public List<AdminJob> jobs() {
        return groups().stream().limit(1).flatMap(group -> jobs(group).stream()).toList();
    }

    List<AdminJob> jobs(long group) {
        Map<String, String> fields = page();
        fields.put("jobGroup", String.valueOf(group));
        fields.put("triggerStatus", "-1");
        fields.put("jobDesc", "");
        fields.put("executorHandler", "");
        fields.put("author", "");
        return rows(session.form("/jobinfo/pageList", fields)).stream()
                .map(XxlJobAdmin::job)
                .sorted(Comparator.comparingLong(AdminJob::id))
                .toList();
    }

    /** Adds a stopped job. */
    void add(long group, NewJob job) {
        Map<String, String> fields = job.fields(group);
        if (isJson()) {
            JsonObject body = new JsonObject();
            fields.forEach(body::addProperty);
            for (String number : List.of("jobGroup", "executorTimeout", "executorFailRetryCount")) {
                body.addProperty(number, Long.valueOf(String.valueOf(fields.get(number))));
            }
            json("/api/addJob", body);
        } else {
            session.form(isForm() ? "/jobinfo/add" : "/jobinfo/insert", fields);
        }
    }

    void remove(long id) {
        change(id, isForm() ? "/jobinfo/remove" : "/jobinfo/delete", "/api/removeJob", Map.of());
    }

    /** From now on the admin runs it at its times. */
    public void start(long id) {
        change(id, "/jobinfo/start", "/api/startJob", Map.of());
    }

    /** The admin no longer runs it at its times; a run that has begun goes on. */
    public void stop(long id) {
        change(id, "/jobinfo/stop", "/api/stopJob", Map.of());
    }

    /** Runs it once, now, whether it is started or stopped. */
    public void trigger(long id) {
        change(id, "/jobinfo/trigger", "/api/triggerJob", Map.of("executorParam", "", "addressList", ""));
    }

    private void change(long id, String form, String json, Map<String, String> more) {
        if (isJson()) {
            JsonObject body = new JsonObject();
            body.addProperty("id", id);
            more.forEach(body::addProperty);
            json(json, body);
            return;
        }
        Map<String, String> fields = new LinkedHashMap<>(more);
        fields.put("id", String.valueOf(id));
        if (!isForm()) {
            fields.put("ids[]", String.valueOf(id)); // a route reads one of the two
        }
        session.form(form, fields);
    }

    private void json(String path, JsonObject body) {
        session.json(path, body.toString(), Map.of(TOKEN_HEADER, token == null ? "" : token, APP_HEADER, appName));
    }

    private boolean isForm() {
        return session.login().api() == AdminApi.UP_TO_3_2;
    }

    private boolean isJson() {
        return session.login().api() == AdminApi.FROM_3_5;
    }

    /** The names of both generations; each reads its own. */
    private static Map<String, String> page() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("start", "0");
        fields.put("length", MOST);
        fields.put("offset", "0");
        fields.put("pagesize", MOST);
        return fields;
    }

    /** Rows are in {@code data}, or in {@code data} of {@code data}. */
    private static List<JsonObject> rows(JsonObject answer) {
        JsonElement data = answer.get("data");
        if (data != null && data.isJsonObject()) {
            data = data.getAsJsonObject().get("data");
        }
        if (data == null || !data.isJsonArray()) {
            throw new XxlJobAdminException("the XXL-Job admin answered without a list in 'data'; check its version");
        }
        List<JsonObject> rows = new ArrayList<>();
        for (JsonElement row : (JsonArray) data) {
            rows.add(row.getAsJsonObject());
        }
        return rows;
    }

    private static AdminJob job(JsonObject row) {
        return new AdminJob(
                row.get("id").getAsLong(),
                text(row, "executorHandler"),
                text(row, "jobDesc"),
                text(row, "author"),
                (text(row, "scheduleType") + " " + text(row, "scheduleConf")).strip(),
                text(row, "triggerStatus").equals("1"),
                time(row, "triggerLastTime"),
                time(row, "triggerNextTime"));
    }

    private static String text(JsonObject row, String name) {
        JsonElement value = row.get(name);
        return value == null || value.isJsonNull() ? "" : value.getAsString();
    }

    private static @Nullable Instant time(JsonObject row, String name) {
        String millis = text(row, name);
        return millis.isEmpty() || millis.equals("0") ? null : Instant.ofEpochMilli(Long.parseLong(millis));
    }

    /** Not thread-safe. */
    public static final class Builder {
        private final List<String> addresses;
        private final String appName;
        private String user = "";
        private String password = "";
        private @Nullable String token;
        private AdminApi api = AdminApi.AUTO;

        private Builder(String addresses, String appName) {
            this.addresses = Stream.of(addresses.split(",", -1))
                    .map(String::strip)
                    .filter(address -> !address.isEmpty())
                    .map(address -> address.replaceAll("/+$", ""))
                    .toList();
            this.appName = Objects.requireNonNull(appName, "appName");
            for (String address : this.addresses) {
                if (!address.matches("https?://[^\\s\"'<>?#]+")) {
                    throw new IllegalArgumentException(
                            "the address of an XXL-Job admin must be an http or https URL, not '" + address + "'");
                }
            }
        }

        /** A user of the admin who may manage the executor group. Required. */
        public Builder login(String name, String secret) {
            this.user = Objects.requireNonNull(name, "name");
            this.password = Objects.requireNonNull(secret, "secret");
            return this;
        }

        /** Required for {@link AdminApi#FROM_3_5}. */
        public Builder accessToken(@Nullable String accessToken) {
            this.token = accessToken;
            return this;
        }

        /** Default: {@link AdminApi#AUTO}. */
        public Builder api(AdminApi generation) {
            this.api = Objects.requireNonNull(generation, "generation");
            return this;
        }

        /** @throws IllegalArgumentException if an address, the login or a required token is missing */
        public XxlJobAdmin build() {
            if (addresses.isEmpty()) {
                throw new IllegalArgumentException("no address of an XXL-Job admin is set");
            }
            if (user.isBlank() || password.isBlank()) {
                throw new IllegalArgumentException("the user name and the password of the XXL-Job admin must be set");
            }
            if (api == AdminApi.FROM_3_5 && (token == null || token.isBlank())) {
                throw new IllegalArgumentException("the API " + api + " of the XXL-Job admin needs the access token");
            }
            return new XxlJobAdmin(this);
        }
    }
}
