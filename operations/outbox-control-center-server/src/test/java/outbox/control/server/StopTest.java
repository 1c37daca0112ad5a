package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.Actor;
import outbox.control.access.Rights;
import outbox.control.access.Role;
import outbox.control.live.Sampler;
import outbox.control.source.Application;

/** The end of the program, at its worst: a page is open, and the databases it shows are gone. */
@Timeout(600)
class StopTest {
    /** Far less than Spring waits for a request that does not end, as it is set here. */
    private static final Duration PROMPT = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    @Test
    void anOpenPageAndDatabasesThatAreGoneDoNotHoldItUp() throws Exception {
        Server database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", directory.toString())
                .start();
        ConfigurableApplicationContext server = start(database.getURL());
        HttpResponse<InputStream> page =
                HttpClient.newHttpClient().send(request(server, "stream"), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body().read()).isEqualTo('r');
        database.stop();
        Sampler sampler = server.getBean(ControlCenter.class).source("orders").sampler();
        await().atMost(PROMPT).until(() -> sampler.problem() != null);
        long start = System.nanoTime();
        server.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPT);
    }

    @Test
    void anOpenPageIsToldThatTheDatabaseIsGone() throws Exception {
        Server database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", directory.toString())
                .start();
        try (ConfigurableApplicationContext server = start(database.getURL())) {
            HttpRequest events = request(server, "events");
            HttpResponse<Stream<String>> page =
                    HttpClient.newHttpClient().send(request(server, "stream"), HttpResponse.BodyHandlers.ofLines());
            Iterator<String> lines = page.body().iterator();
            assertThat(lineAfter(lines, "event: sample")).startsWith("data: {");
            database.stop();
            assertThat(lineAfter(lines, "event: problem")).contains("cannot read the outbox table");
            HttpResponse<String> list = HttpClient.newHttpClient().send(events, HttpResponse.BodyHandlers.ofString());
            assertThat(list.statusCode()).isEqualTo(503);
            assertThat(list.body()).contains("the database is unreachable");
        }
    }

    /** @return the line after this one */
    private static String lineAfter(Iterator<String> lines, String wanted) {
        while (!lines.next().equals(wanted)) {
            // earlier news
        }
        return lines.next();
    }

    private static HttpRequest request(ConfigurableApplicationContext server, String what) throws Exception {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.getEnvironment().getProperty("local.server.port")
                                + "/outbox/api/v1/apps/orders/" + what))
                .header("Authorization", "Bearer " + token(server))
                .build();
    }

    private ConfigurableApplicationContext start(String h2) throws Exception {
        SpringApplication application = new SpringApplication(ControlCenterServer.class);
        Map<String, Object> settings = new HashMap<>();
        settings.put("spring.lifecycle.timeout-per-shutdown-phase", "10m");
        settings.put("outbox.control-center.data-dir", directory.resolve("data").toString());
        for (String name : new String[] {"orders", "billing", "stock"}) {
            JdbcDataSource source = new JdbcDataSource();
            source.setURL("jdbc:h2:" + h2 + "/" + name);
            source.setUser("sa");
            try (Connection conn = source.getConnection()) {
                Application.of(name, source).store().schema().apply(conn);
            }
            settings.put("outbox.control-center.applications." + name + ".url", source.getURL());
            settings.put("outbox.control-center.applications." + name + ".username", "sa");
            settings.put("outbox.control-center.applications." + name + ".password", "");
        }
        application.setDefaultProperties(settings);
        return application.run("--server.port=0");
    }

    private static String token(ConfigurableApplicationContext server) throws Exception {
        Accounts accounts = server.getBean(Accounts.class);
        if (!accounts.has("anna")) {
            accounts.create("anna", "correct horse battery", Rights.everything(), Actor.PROGRAM);
        }
        return accounts.createToken("page", Rights.of(Map.of("orders", Role.VIEWER)), Duration.ofDays(1), Actor.PROGRAM)
                .secret();
    }
}
