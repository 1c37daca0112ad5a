package outbox.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class KeyringTest {
    @Test
    void keysComeAsBytesOrBase64() {
        Keyring ring = Keyring.builder()
                .key("k", Base64.getEncoder().encodeToString(TestKeys.bytes(7)) + "\n")
                .build();
        byte[] dataKey = TestKeys.bytes(3);
        byte[] wrapped = ring.wrap("k", dataKey);
        assertThat(TestKeys.only("k", 7).unwrap("k", wrapped)).isEqualTo(dataKey);
        assertThat(ring.wrap("k", dataKey)).isNotEqualTo(wrapped);
    }

    @Test
    void whatIsNoKeyIsRefusedWithoutBeingShown() {
        Keyring.Builder ring = Keyring.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ring.key("k", new byte[16]))
                .withMessageContaining("'k'")
                .withMessageContaining("32 bytes, not 16");
        assertThatThrownBy(() -> ring.key("k", "not*base64"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'k' is not Base64")
                .hasMessageNotContaining("not*base64")
                .hasNoCause();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ring.key("k", (String) null))
                .withMessageContaining("is its variable set");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ring.key("a.b", new byte[32]))
                .withMessageContaining("'a.b'");
        assertThatIllegalArgumentException().isThrownBy(ring::build).withMessageContaining("needs at least one key");
    }

    @Test
    void oneOfSeveralKeysIsCurrent() {
        Keyring.Builder two = Keyring.builder().key("a", TestKeys.bytes(1)).key("b", TestKeys.bytes(2));
        assertThatIllegalArgumentException().isThrownBy(two::build).withMessageContaining("[a, b]");
        assertThatIllegalArgumentException().isThrownBy(() -> two.key("a", TestKeys.bytes(3)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> two.current("c").build())
                .withMessageContaining("'c'");
        assertThat(two.current("b").build().currentKeyId()).isEqualTo("b");
        assertThat(two.build()).hasToString("Keyring[[a, b], current b]");
    }

    @Test
    void aDataKeyIsReplacedWhenItIsOld() {
        AtomicLong nanos = new AtomicLong();
        CountingKeys provider = new CountingKeys(TestKeys.only("k", 1));
        DataKeys keys = new DataKeys(provider, 1000, Duration.ofMinutes(1), nanos::get);
        DataKeys.DataKey first = keys.next();
        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(keys.next()).isSameAs(first);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(keys.next()).isNotSameAs(first);
        assertThat(provider.wraps).hasValue(2);
    }

    @Test
    void aProviderThatCameBackIsAskedAgain() {
        AtomicLong nanos = new AtomicLong();
        CountingKeys provider = new CountingKeys(TestKeys.only("k", 1));
        String wrapped = new DataKeys(provider, 1000, Duration.ofMinutes(1), nanos::get)
                .next()
                .wrapped();
        DataKeys keys = new DataKeys(provider, 1000, Duration.ofMinutes(1), nanos::get);
        provider.away = true;
        assertThatThrownBy(() -> keys.unwrap("k", wrapped)).hasMessageContaining("key service does not answer");
        provider.away = false;
        assertThatThrownBy(() -> keys.unwrap("k", wrapped)).hasMessageContaining("key service does not answer");
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(keys.unwrap("k", wrapped)).isNotNull();
    }

    @Test
    void somethingElseThanADataKeyIsRefused() {
        KeyProvider odd = new KeyProvider() {
            @Override
            public String currentKeyId() {
                return "k";
            }

            @Override
            public byte[] wrap(String keyId, byte[] dataKey) {
                return dataKey;
            }

            @Override
            public byte[] unwrap(String keyId, byte[] wrapped) {
                return new byte[5];
            }
        };
        DataKeys keys = new DataKeys(odd, 10, Duration.ofMinutes(1), System::nanoTime);
        assertThatThrownBy(() -> keys.unwrap("k", "AAAA")).isInstanceOf(DecryptionException.class);
    }
}
