package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.NestedExceptionUtils;
import outbox.control.ControlCenter;
import outbox.control.access.Rights;
import outbox.control.access.Role;
import outbox.control.audit.AuditEntry;
import outbox.control.remote.Announcement;
import outbox.control.remote.RemoteApplication;

/** Applications that announce themselves to the server, and those that must not. */
@Timeout(240)
class AnnouncementTest {
    private static final String ALLOWED = "outbox.control-center.announcements.allowed-urls";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    @Test
    void anAnnouncedApplicationIsShownAtOnceAndAfterARestart() throws Exception {
        try (SmallServer there = new SmallServer(directory.resolve("there"), Map.of())) {
            String url = "http://127.0.0.1:" + there.port() + "/outbox";
            RemoteApplication shop =
                    RemoteApplication.of("shop", url, there.token()).withNameThere("orders");
            String token;
            try (SmallServer here = server(url)) {
                token = here.token();
                String ofShop = here.token(Rights.of(Map.of("shop", Role.ADMIN)));
                try (Announcement announcement = Announcement.of(
                                "http://127.0.0.1:" + here.port() + "/outbox", ofShop, shop)
                        .start()) {
                    assertThat(announcement).isNotNull();
                    awaitFigures(here, token);
                }
                assertThat(send(here, token, "GET", "/apps/shop/events", null).statusCode())
                        .isEqualTo(200);
                assertThat(here.bean(ControlCenter.class).audit().page(null, "shop", 10))
                        .extracting(AuditEntry::action)
                        .contains("application.announce");
            }
            try (SmallServer again = server(url)) {
                awaitFigures(again, token);
                assertThat(send(again, token, "DELETE", "/apps/shop/announcement", null)
                                .statusCode())
                        .isEqualTo(200);
                assertThat(send(again, token, "GET", "/apps", null).body()).doesNotContain("shop");
                assertThat(send(again, token, "DELETE", "/apps/shop/announcement", null)
                                .statusCode())
                        .isEqualTo(404);
            }
        }
    }

    private SmallServer server(String allowed) throws Exception {
        return new SmallServer(directory.resolve("here"), Map.of(ALLOWED, allowed));
    }

    private static void awaitFigures(SmallServer here, String token) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(send(here, token, "GET", "/apps", null).body())
                                .containsPattern(
                                        "\"name\":\"shop\",\"database\":\"h2\",\"deliveredFromLog\":false,\"announced\":true,\"problem\":null,\"sample\":\\{"));
    }

    @Test
    void whoHasNoRightsOnTheNameAnnouncesNothingAndNoOtherUrlIsConnectedTo() throws Exception {
        try (SmallServer here = server("https://*.internal/outbox,http://10.20.0.7:8080")) {
            String body = "{\"apiUrl\":\"https://shop.internal/outbox\",\"token\":\"0123456789\"}";
            assertThat(put(here, null, "shop", body).statusCode()).isEqualTo(401);
            assertThat(put(here, here.token(Rights.of(Map.of("shop", Role.OPERATOR))), "shop", body)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(put(here, here.token(Rights.of(Map.of("billing", Role.ADMIN))), "shop", body)
                            .statusCode())
                    .isEqualTo(404);
            String admin = here.token();
            assertThat(put(here, admin, "orders", body).statusCode())
                    .as("the name of a configured application")
                    .isEqualTo(409);
            HttpResponse<String> elsewhere = put(here, admin, "shop", body.replace("shop.internal", "169.254.169.254"));
            assertThat(elsewhere.statusCode()).isEqualTo(400);
            assertThat(elsewhere.body()).contains("may not connect to https://169.254.169.254/outbox");
            assertThat(put(here, admin, "shop", "{}").statusCode()).isEqualTo(400);
            assertThat(put(here, admin, "shop", body.replace("0123456789", "a\\nb"))
                            .statusCode())
                    .isEqualTo(400);
            assertThat(send(here, admin, "GET", "/apps", null).body()).doesNotContain("shop");

            assertThat(put(here, admin, "shop", body).statusCode()).isEqualTo(200);
            assertThat(send(here, admin, "GET", "/apps", null).body()).contains("shop");
        }
    }

    @Test
    void withoutAllowedUrlsNobodyAnnouncesAnything() throws Exception {
        try (SmallServer here = new SmallServer(directory.resolve("here"), Map.of())) {
            assertThat(put(here, here.token(), "shop", "{}").statusCode()).isEqualTo(404);
        }
    }

    @ParameterizedTest
    @CsvSource({"ftp://internal", "https://user@internal", "https://*", "https://internal/../x", "internal"})
    void anAllowedUrlThatIsNoneIsRefusedByNameAtTheStart(String url) {
        assertThatThrownBy(() -> server(url).close())
                .satisfies(failure -> assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
                        .hasMessageContaining(url));
    }

    private static HttpResponse<String> put(SmallServer server, String token, String name, String body)
            throws Exception {
        return send(server, token, "PUT", "/apps/" + name + "/announcement", body);
    }

    private static HttpResponse<String> send(SmallServer server, String token, String method, String path, String body)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + "/outbox/api/v1" + path))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .header("X-Outbox-Request", "1")
                .header("Content-Type", "application/json")
                .timeout(PATIENCE);
        // without a session there is no CSRF token; a wrong API token is nobody
        request.header("Authorization", "Bearer " + (token == null ? "nobody" : token));
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
