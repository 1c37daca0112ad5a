package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import org.junit.jupiter.api.Test;

class WebhookSecretTest {
    @Test
    void isReadInTheFormItIsWrittenIn() {
        WebhookSecret secret = WebhookSecret.generate();
        assertThat(secret.reveal()).startsWith("whsec_");
        assertThat(WebhookSecret.parse(secret.reveal())).isEqualTo(secret).hasSameHashCodeAs(secret);
        assertThat(WebhookSecret.parse(secret.reveal().substring("whsec_".length())))
                .isEqualTo(secret);
        assertThat(WebhookSecret.generate()).isNotEqualTo(secret);
    }

    @Test
    void showsItselfNowhere() {
        WebhookSecret secret = WebhookSecret.generate();
        String base64 = secret.reveal().substring("whsec_".length());
        assertThat(secret.toString()).doesNotContain(base64);
        assertThatThrownBy(() -> WebhookSecret.parse("whsec_not-base64-at-all!"))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("not-base64");
    }

    @Test
    void hasTheLengthTheSpecificationAsksFor() {
        for (int length : new int[] {24, 32, 64}) {
            WebhookSecret.ofBytes(new byte[length]);
        }
        for (int length : new int[] {0, 23, 65}) {
            String text = "whsec_" + Base64.getEncoder().encodeToString(new byte[length]);
            assertThatThrownBy(() -> WebhookSecret.parse(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("24 to 64 bytes");
        }
    }
}
