package outbox.control.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedUrlsTest {
    private final AllowedUrls allowed =
            AllowedUrls.of(List.of("https://*.internal/outbox", "http://10.20.0.7:8080", "https://[fd00::7]/"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://orders.internal/outbox",
                "https://ORDERS.Internal:443/outbox",
                "https://a.b.internal/outbox/deeper",
                "http://10.20.0.7:8080/anything",
                "http://10.20.0.7:8080",
                "https://[fd00::7]/outbox"
            })
    void theListedHostsPortsAndPathsAreAllowed(String url) {
        assertThat(allowed.contains(URI.create(url))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://orders.internal/outbox",
                "https://internal/outbox",
                "https://orders.internal.evil.example/outbox",
                "https://evilinternal/outbox",
                "https://orders.internal:8443/outbox",
                "https://orders.internal/",
                "https://orders.internal/outboxes",
                "https://orders.internal/outbox/../admin",
                "https://orders.internal/outbox/%2e%2e/admin",
                "https://orders.internal/outbox;x=/../admin",
                "https://orders.internal//outbox",
                "https://orders.internal@169.254.169.254/outbox",
                "https://169.254.169.254/outbox",
                "http://10.20.0.7/anything",
                "http://10.20.0.70:8080/",
                "http://0x0a140007:8080/",
                "https://[fd00::8]/outbox",
                "file:///etc/passwd"
            })
    void everythingElseIsNot(String url) {
        assertThat(allowed.contains(URI.create(url))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "https://*",
                "https://*internal",
                "https://or*.internal",
                "https://me:hunter2@internal",
                "https://internal?x",
                "https://internal/%2e%2e",
                "https://internal/./x",
                "ftp://internal",
                ""
            })
    void whatCouldMeanMoreThanItSaysIsRefused(String url) {
        assertThatThrownBy(() -> AllowedUrls.of(List.of(url))).isInstanceOf(IllegalArgumentException.class);
    }
}
