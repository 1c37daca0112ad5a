package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.core.NestedExceptionUtils;
import outbox.EventEnvelope;
import outbox.control.ControlCenter;
import outbox.control.audit.AuditEntry;
import outbox.control.source.Application;

/** The program with one application by its database and one over HTTP; settings that contradict each other. */
@Timeout(120)
class ApplicationOverHttpTest {
    private static final String APPLICATION = "outbox.control-center.applications.shop.";

    @TempDir
    private Path directory;

    @Test
    void oneServerShowsAndChangesAnApplicationOverHttpBesideADirectOne() throws Exception {
        try (SmallServer there = new SmallServer(directory.resolve("there"), Map.of())) {
            String id = event(there);
            try (SmallServer here = new SmallServer(
                    directory.resolve("here"),
                    Map.of(
                            APPLICATION + "api-url",
                            "http://127.0.0.1:" + there.port() + "/outbox",
                            APPLICATION + "token",
                            there.token(),
                            APPLICATION + "api-application",
                            "orders",
                            APPLICATION + "api-timeout",
                            "30s"))) {
                ControlCenter center = here.bean(ControlCenter.class);
                await().until(() -> center.remotes().iterator().next().latest().sample() != null);
                String token = here.token();

                assertThat(send(here, token, "GET", "/apps").body())
                        .contains("\"name\":\"orders\"")
                        .contains("\"name\":\"shop\"");
                assertThat(send(here, token, "GET", "/apps/shop/events").body()).contains(id);
                assertThat(send(here, token, "GET", "/apps/orders/events").body())
                        .doesNotContain(id);
                assertThat(send(here, token, "POST", "/apps/shop/events/" + id + "/park")
                                .statusCode())
                        .isEqualTo(200);
                assertThat(there.bean(ControlCenter.class).audit().page(null, "orders", 10))
                        .filteredOn(entry -> entry.action().equals("event.park"))
                        .extracting(AuditEntry::actor)
                        .containsExactly("token:test (token:test)");
                assertThat(center.audit().page(null, "shop", 10))
                        .extracting(AuditEntry::action, AuditEntry::outcome)
                        .containsExactly(tuple("forward POST", "ok"), tuple("request POST", "started"));
            }
        }
    }

    private static String event(SmallServer there) throws Exception {
        Application orders = there.bean(Applications.class).all().get(0);
        EventEnvelope event = EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("7")
                .payloadJson("{}")
                .build();
        try (Connection conn = orders.dataSource().getConnection()) {
            orders.store().insertNew(conn, event);
        }
        return event.eventId();
    }

    private static HttpResponse<String> send(SmallServer server, String token, String method, String path)
            throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + server.port() + "/outbox/api/v1" + path))
                                .method(
                                        method,
                                        method.equals("GET")
                                                ? HttpRequest.BodyPublishers.noBody()
                                                : HttpRequest.BodyPublishers.ofString("{}"))
                                .header("Authorization", "Bearer " + token)
                                .header("X-Outbox-Request", "1")
                                .header("Content-Type", "application/json")
                                .timeout(Duration.ofSeconds(60))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            url=jdbc:h2:mem:x api-url=http://localhost/outbox token=t | shop.url and outbox.control-center.applications.shop.api-url are both set
            table=outbox_event | set outbox.control-center.applications.shop.url
            api-url=http://localhost/outbox token=t username=sa | shop.username has no effect with outbox.control-center.applications.shop.api-url
            api-url=http://localhost/outbox token=t table=x | shop.table has no effect with
            api-url=http://localhost/outbox token=t delivered-from-log=false | shop.delivered-from-log has no effect with
            url=jdbc:h2:mem:x token=t | shop.token has no effect with outbox.control-center.applications.shop.url
            url=jdbc:h2:mem:x api-timeout=1s | shop.api-timeout has no effect with
            api-url=http://localhost/outbox | shop.api-url needs outbox.control-center.applications.shop.token
            api-url=ftp://localhost/outbox token=t | the API URL of 'shop' must be an http or https URL
            api-url=http://me:hunter2@localhost/outbox token=t | the API URL of 'shop' must be an http or https URL
            """)
    void contradictionsAreRefusedByNameAtTheStart(String settings, String message) {
        List<String> arguments = new java.util.ArrayList<>(
                List.of("--server.port=0", "--outbox.control-center.data-dir=" + directory.resolve("data")));
        for (String setting : settings.split(" ")) {
            arguments.add("--" + APPLICATION + setting);
        }
        assertThatThrownBy(() -> new SpringApplication(ControlCenterServer.class)
                        .run(arguments.toArray(String[]::new))
                        .close())
                .satisfies(failure -> assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
                        .hasMessageContaining(message)
                        .hasMessageNotContaining("hunter2"));
    }
}
