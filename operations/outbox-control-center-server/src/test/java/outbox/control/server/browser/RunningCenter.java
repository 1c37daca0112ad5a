package outbox.control.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.control.access.Accounts;
import outbox.control.access.Actor;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Rights;
import outbox.control.access.Role;
import outbox.control.server.ControlCenterServer;
import outbox.control.source.Application;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.SimulatedXxlJobAdmin;
import outbox.testing.server.TestDatabase;

/** The server as it is delivered, on PostgreSQL with the rows of two shops and of an attacker, one for all tests of this JVM. */
final class RunningCenter {
    static final String ADMIN = "anna";
    static final String VIEWER = "vera";
    static final String PASSWORD = "correct horse battery";

    private static RunningCenter shared;

    private final Application orders;
    private final ShopRows rows;
    private final HostileRows hostile;
    private final Accounts accounts;
    private final SimulatedXxlJobAdmin jobs;
    private final int port;

    private RunningCenter() throws IOException, SQLException {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        TestDatabase other = EmbeddedPostgres.shared().freshDatabase();
        orders = prepared("orders", database);
        rows = new ShopRows(orders).fill();
        new ShopRows(prepared("billing", other)).fillAFew();
        TestDatabase third = EmbeddedPostgres.shared().freshDatabase();
        hostile = new HostileRows(prepared("legacy", third)).fill();
        Path data = Files.createTempDirectory("outbox-control-browser-");
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("outbox.control-center.data-dir", data.resolve("data").toString());
        settings.put("outbox.control-center.alerts.allow-http", true);
        settings.put("outbox.control-center.alerts.allowed-addresses", "127.0.0.1/32");
        settings.put("outbox.control-center.trace-link", "https://traces.example/trace/{traceId}");
        name(settings, "orders", database);
        name(settings, "billing", other);
        name(settings, "legacy", third);
        jobs = new SimulatedXxlJobAdmin(SimulatedXxlJobAdmin.Generation.FROM_3_3);
        jobs.addJob("orders", "outboxRecover", "Outbox: recover");
        jobs.addJob("orders", "outboxWarnFailed", "Outbox: failed-event warning");
        String admin = "outbox.control-center.applications.orders.xxl-job.";
        settings.put(admin + "admin-addresses", jobs.url());
        settings.put(admin + "username", SimulatedXxlJobAdmin.USER);
        settings.put(admin + "password", SimulatedXxlJobAdmin.PASSWORD);
        SpringApplication application = new SpringApplication(ControlCenterServer.class);
        application.setDefaultProperties(settings);
        ConfigurableApplicationContext server =
                application.run("--server.port=0"); // stronger than the program's own properties
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        port = Integer.parseInt(server.getEnvironment().getProperty("local.server.port", "0"));
        FirstAdmin first = server.getBean(FirstAdmin.class);
        first.create(String.valueOf(first.token()), ADMIN, PASSWORD, Actor.PROGRAM);
        accounts = server.getBean(Accounts.class);
        person(VIEWER);
    }

    /** A viewer of orders with the usual password. */
    void person(String name) throws SQLException {
        accounts.create(name, PASSWORD, Rights.of(Map.of("orders", Role.VIEWER)), Actor.PROGRAM);
    }

    /** The secret of one that may do everything for a day. */
    String token(String name) throws SQLException {
        return accounts.createToken(name, Rights.everything(), Duration.ofDays(1), Actor.PROGRAM)
                .secret();
    }

    /** A request of an admin's token to the API. @return the body of the answer */
    String send(String method, String path, String body) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(url("api/v1" + path)))
                                .header("Authorization", "Bearer " + token("pipeline"))
                                .header("Content-Type", "application/json")
                                .header("X-Outbox-Request", "1")
                                .method(method, HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return answer.body();
    }

    static synchronized RunningCenter shared() throws IOException, SQLException {
        if (shared == null) {
            shared = new RunningCenter();
        }
        return shared;
    }

    private static Application prepared(String name, TestDatabase database) throws SQLException {
        Application application = Application.of(name, database.dataSource());
        try (Connection conn = database.dataSource().getConnection()) {
            application.store().schema().apply(conn);
        }
        SchemaFile.ofNodes("postgresql").apply(database.dataSource());
        return application;
    }

    private static void name(Map<String, Object> settings, String name, TestDatabase database) {
        String prefix = "outbox.control-center.applications." + name + ".";
        settings.put(prefix + "url", database.jdbcUrl());
        settings.put(prefix + "username", database.username());
        settings.put(prefix + "password", database.password());
    }

    Application orders() {
        return orders;
    }

    /** The jobs of orders. */
    SimulatedXxlJobAdmin jobs() {
        return jobs;
    }

    ShopRows rows() {
        return rows;
    }

    HostileRows hostile() {
        return hostile;
    }

    /** @param path below the control center, such as {@code #/orders/events} */
    String url(String path) {
        return "http://127.0.0.1:" + port + "/outbox/" + path;
    }
}
