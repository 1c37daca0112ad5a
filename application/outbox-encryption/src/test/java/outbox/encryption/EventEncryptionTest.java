package outbox.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.RetryAfterException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class EventEncryptionTest {
    private static final String SECRET = "{\"card\":\"4000-not-a-card\",\"name\":\"Zoë 李\"}";

    private final Keyring keys = TestKeys.only("k1", 1);
    private final EventEncryption encryption =
            EventEncryption.builder("shop", keys).secretHeaders("Authorization").build();

    private static EventEnvelope.Builder event() {
        return EventEnvelope.builder("payment.taken").payloadJson(SECRET);
    }

    @Test
    void whatIsSealedIsJsonWithoutAWordOfThePlainText() {
        EventEnvelope event = event().aggregateType("Payment")
                .aggregateId("42")
                .tenantId("acme")
                .header("authorization", "not-a-token")
                .header("traceparent", "00-1")
                .availableAt(Instant.parse("2026-01-01T00:00:00Z"))
                .build();

        EventEnvelope sealed = encryption.seal(event);

        JsonNode json = JsonMapper.shared().readTree(sealed.payloadJson());
        assertThat(json.propertyNames()).containsExactly("$outbox.sealed");
        assertThat(json.get("$outbox.sealed").asString()).startsWith("v1.k1.");
        assertThat(sealed.payloadJson() + sealed.headers()).doesNotContain("not-a-card", "Zoë", "not-a-token");
        assertThat(sealed)
                .usingRecursiveComparison()
                .ignoringFields("payloadJson", "headers")
                .isEqualTo(event);
        assertThat(sealed.headers().get("traceparent")).isEqualTo("00-1");
        assertThat(encryption.open(sealed)).usingRecursiveComparison().isEqualTo(event);
    }

    @Test
    void bytesComeBackAsBytes() {
        EventEnvelope event = EventEnvelope.builder("payment.taken")
                .payloadBytes(new byte[] {0, -1, 65, 66, 67})
                .build();
        EventEnvelope sealed = encryption.seal(event);
        assertThat(sealed.payloadForm()).isEqualTo(PayloadForm.JSON);
        assertThat(encryption.open(sealed).payloadBytes()).containsExactly(0, -1, 65, 66, 67);
        assertThat(encryption.open(sealed).payloadForm()).isEqualTo(PayloadForm.BYTES);
    }

    @Test
    void aDatabaseMayRewriteTheWhiteSpaceAndEscapeSlashes() {
        EventEncryption slashes =
                EventEncryption.builder("shop", TestKeys.only("arn:kms/a/b", 1)).build();
        EventEnvelope sealed = slashes.seal(event().build());
        String rewritten =
                sealed.payloadJson().replace("/", "\\/").replace(":\"", " : \"").replace("{", "{\n ");
        assertThat(slashes.open(with(sealed, rewritten)).payloadJson()).isEqualTo(SECRET);
    }

    @Test
    void theSameEventNeverLooksTheSame() {
        EventEnvelope event = event().build();
        assertThat(encryption.seal(event).payloadJson())
                .isNotEqualTo(encryption.seal(event).payloadJson());
    }

    @Test
    void everyFlippedBitIsRefused() {
        EventEnvelope sealed = encryption.seal(event().build());
        String[] parts = sealed.payloadJson().split("\\.");
        int tried = 0;
        for (int part = parts.length - 2; part < parts.length; part++) {
            String text = parts[part].replace("\"}", "");
            byte[] bytes = Base64.getUrlDecoder().decode(text);
            for (int bit = 0; bit < bytes.length * 8; bit++) {
                byte[] flipped = bytes.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                String damaged = sealed.payloadJson()
                        .replace(text, Base64.getUrlEncoder().withoutPadding().encodeToString(flipped));
                assertRefused(with(sealed, damaged));
                tried++;
            }
        }
        assertThat(tried).isGreaterThan(8 * (60 + 28 + SECRET.length()));
    }

    @Test
    void everyChangedCharacterIsRefused() {
        EventEnvelope sealed = encryption.seal(event().build());
        String json = sealed.payloadJson();
        int from = json.indexOf("v1.");
        for (int at = from; at < json.length() - 2; at++) {
            char other = json.charAt(at) == 'A' ? 'B' : 'A';
            assertRefused(with(sealed, json.substring(0, at) + other + json.substring(at + 1)));
        }
        for (int end = from; end < json.length() - 2; end += 7) {
            assertRefused(with(sealed, json.substring(0, end) + "\"}"));
        }
        assertRefused(with(sealed, json.replace("v1.", "v2.")), "version");
        assertRefused(with(sealed, json.replace("\"}", ".AAAA\"}")), "5 parts");
    }

    @Test
    void aPayloadOfAnotherRowIsRefused() {
        EventEnvelope mine = encryption.seal(event().build());
        EventEnvelope other = encryption.seal(event().build());
        assertRefused(with(other, mine.payloadJson()), "another row");
    }

    @Test
    void anotherTypeIsRefused() {
        EventEnvelope sealed = encryption.seal(event().build());
        assertRefused(EventEnvelope.builder("payment.refunded")
                .eventId(sealed.eventId())
                .payloadJson(sealed.payloadJson())
                .build());
    }

    @Test
    void anotherApplicationIsRefused() {
        EventEnvelope sealed = encryption.seal(event().build());
        EventEncryption elsewhere = EventEncryption.builder("warehouse", keys).build();
        assertThatThrownBy(() -> elsewhere.open(sealed))
                .isInstanceOf(DecryptionException.class)
                .hasMessageContaining("'warehouse'");
    }

    @Test
    void aHeaderIsNoPayloadAndNotAnotherHeader() {
        EventEncryption two =
                EventEncryption.builder("shop", keys).secretHeaders("a", "b").build();
        EventEnvelope sealed =
                two.seal(event().header("a", "1").header("b", "2").build());
        Map<String, String> swapped =
                Map.of("a", sealed.headers().get("b"), "b", sealed.headers().get("a"));
        assertThatThrownBy(() -> two.open(sealed.toBuilder().headers(swapped).build()))
                .isInstanceOf(DecryptionException.class)
                .hasMessageContaining("header:");
        String headerAsPayload =
                "{\"$outbox.sealed\":\"" + sealed.headers().get("a").substring("$outbox.sealed:".length()) + "\"}";
        assertRefused(with(sealed.toBuilder().headers(null).build(), headerAsPayload));
    }

    @Test
    void aWrongKeyUnderTheRightIdIsRefused() {
        EventEnvelope sealed = encryption.seal(event().build());
        EventEncryption wrong =
                EventEncryption.builder("shop", TestKeys.only("k1", 9)).build();
        assertThatThrownBy(() -> wrong.open(sealed))
                .isInstanceOf(DecryptionException.class)
                .hasMessageContaining("'k1'");
    }

    @Test
    void anUnknownKeyIsRefusedByName() {
        EventEnvelope sealed = encryption.seal(event().build());
        EventEncryption other =
                EventEncryption.builder("shop", TestKeys.only("k2", 1)).build();
        assertThatThrownBy(() -> other.open(sealed))
                .isInstanceOf(DecryptionException.class)
                .hasMessageContaining("no key 'k1'")
                .hasMessageContaining("[k2]");
    }

    @Test
    void theKeyIdCanNotBeReplacedByThatOfAnotherKnownKey() {
        EventEncryption both =
                EventEncryption.builder("shop", TestKeys.rotated()).build();
        EventEnvelope sealed = both.seal(event().build());
        assertThatThrownBy(() -> both.open(with(sealed, sealed.payloadJson().replace("v1.new.", "v1.old."))))
                .isInstanceOf(DecryptionException.class);
    }

    @Test
    void afterARotationTheOldKeyStillReadsAndTheNewOneWrites() {
        EventEnvelope old =
                EventEncryption.builder("shop", TestKeys.only("old", 1)).build().seal(event().build());
        EventEncryption rotated =
                EventEncryption.builder("shop", TestKeys.rotated()).build();
        assertThat(rotated.open(old).payloadJson()).isEqualTo(SECRET);
        assertThat(rotated.seal(event().build()).payloadJson()).contains("v1.new.");
        assertThat(rotated.isOutdated(old)).isTrue();
        assertThat(rotated.resealed(old).payloadJson()).contains("v1.new.");
        assertThat(rotated.isOutdated(rotated.resealed(old))).isFalse();
    }

    @Test
    void aProviderThatRotatesIsFollowedAtOnce() {
        CountingKeys provider = new CountingKeys(TestKeys.only("old", 1));
        EventEncryption following = EventEncryption.builder("shop", provider).build();
        assertThat(following.seal(event().build()).payloadJson()).contains("v1.old.");
        provider.replaceBy(TestKeys.rotated());
        assertThat(following.seal(event().build()).payloadJson()).contains("v1.new.");
    }

    @Test
    void aDataKeyServesManyEventsButNotMoreThanItMay() {
        CountingKeys provider = new CountingKeys(keys);
        EventEncryption limited =
                EventEncryption.builder("shop", provider).dataKeyUses(10).build();
        List<EventEnvelope> sealed = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            sealed.add(limited.seal(event().build()));
        }
        assertThat(provider.wraps).hasValue(3);
        EventEncryption reader = EventEncryption.builder("shop", provider).build();
        sealed.forEach(event -> assertThat(reader.open(event).payloadJson()).isEqualTo(SECRET));
        assertThat(provider.unwraps).hasValue(3);
        sealed.forEach(limited::open); // it remembers its own
        assertThat(provider.unwraps).hasValue(3);
    }

    @Test
    void aKeyServiceThatIsAwayMakesEventsWaitAndWritersFail() {
        CountingKeys provider = new CountingKeys(keys);
        EventEnvelope sealed = encryption.seal(event().build());
        provider.away = true;
        EventEncryption reader = EventEncryption.builder("shop", provider).build();
        long begin = System.nanoTime();
        assertThatThrownBy(() -> reader.open(sealed)).isInstanceOf(RetryAfterException.class);
        assertThatThrownBy(() -> reader.open(sealed)).isInstanceOf(RetryAfterException.class);
        if (System.nanoTime() - begin < Duration.ofSeconds(1).toNanos()) { // it may be asked again after a second
            assertThat(provider.unwraps).hasValue(1); // not once for every row
        }
        assertThatThrownBy(() -> reader.seal(event().build())).hasMessage("key service does not answer");
    }

    @Test
    void otherTypesStayInClear() {
        EventEncryption some = EventEncryption.builder("shop", keys)
                .eventTypes("payment.*", "customer.moved")
                .secretHeaders("authorization")
                .build();
        EventEnvelope other =
                EventEnvelope.builder("order.placed").payloadJson("{}").build();
        assertThat(some.seal(other)).isSameAs(other);
        assertThat(some.open(other)).isSameAs(other);
        assertThat(some.seal(event().build()).payloadJson()).contains("$outbox.sealed");
        EventEnvelope withSecret =
                other.toBuilder().header("AUTHORIZATION", "x").build();
        EventEnvelope sealed = some.seal(withSecret);
        assertThat(sealed.payloadJson()).isEqualTo("{}");
        assertThat(sealed.headers().get("AUTHORIZATION")).startsWith("$outbox.sealed:v1.k1.");
        assertThat(some.open(sealed).headers()).containsEntry("AUTHORIZATION", "x");
    }

    @Test
    void rowsInClearAreReadUnlessTheyAreRefused() {
        EventEnvelope plain = event().build();
        assertThat(encryption.open(plain)).isSameAs(plain);
        EventEncryption strict = EventEncryption.builder("shop", keys)
                .secretHeaders("authorization")
                .refusePlain()
                .build();
        assertThatThrownBy(() -> strict.open(plain))
                .isInstanceOf(DecryptionException.class)
                .hasMessageContaining("not encrypted");
        EventEnvelope clearHeader = strict.seal(plain).toBuilder()
                .header("Authorization", "in clear")
                .build();
        assertThatThrownBy(() -> strict.open(clearHeader))
                .isInstanceOf(DecryptionException.class)
                .hasMessageContaining("header Authorization")
                .hasMessageNotContaining("as plaintext");
        assertThat(strict.open(strict.resealed(plain)).payloadJson()).isEqualTo(SECRET);
    }

    @Test
    void whatOnlyLooksEncryptedIsNotWritten() {
        EventEncryption some =
                EventEncryption.builder("shop", keys).eventTypes("payment.*").build();
        EventEnvelope fake = EventEnvelope.ofJson("order.placed", "{ \"$outbox.sealed\" : \"v1.k1.AA.AA\" }");
        assertThatIllegalArgumentException().isThrownBy(() -> some.seal(fake)).withMessageContaining("order.placed");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> some.seal(event().header("x", "$outbox.sealed:v1").build()))
                .withMessageContaining("header x");
        EventEnvelope nested = EventEnvelope.ofJson("order.placed", "{\"a\":{\"$outbox.sealed\":\"x\"}}");
        assertThat(some.seal(nested)).isSameAs(nested);
        EventEnvelope insideSealed = fake.toBuilder().build();
        assertThat(encryption.open(encryption.seal(insideSealed)).payloadJson()).isEqualTo(fake.payloadJson());
    }

    @Test
    void aPayloadThatGetsTooLargeIsRefusedWithItsSize() {
        EventEnvelope fits = EventEnvelope.ofJson("payment.taken", "\"" + "x".repeat(780_000) + "\"");
        assertThat(encryption.open(encryption.seal(fits)).payloadJson()).isEqualTo(fits.payloadJson());
        EventEnvelope large = EventEnvelope.ofJson("payment.taken", "\"" + "x".repeat(800_000) + "\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encryption.seal(large))
                .withMessageContaining("1048576")
                .withMessageContaining("three quarters");
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> EventEncryption.builder(" ", keys));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEncryption.builder("shop", keys).dataKeyUses(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEncryption.builder("shop", keys).dataKeyAge(Duration.ZERO));
    }

    private static EventEnvelope with(EventEnvelope event, String payload) {
        return event.toBuilder().payloadJson(payload).build();
    }

    private void assertRefused(EventEnvelope stored) {
        assertRefused(stored, "");
    }

    private void assertRefused(EventEnvelope stored, String word) {
        assertThatThrownBy(() -> EventEncryption.builder("shop", keys).build().open(stored))
                .isInstanceOf(DecryptionException.class)
                .hasMessageContaining(word)
                .hasMessageNotContaining("card");
    }

    @Test
    void bytesAreNotTakenForEncryptedTextWhateverTheyLookLike() {
        byte[] looksEncrypted = encryption.seal(event().build()).payloadBytes();
        EventEnvelope bytes =
                event().payloadJson(null).payloadBytes(looksEncrypted).build();
        assertThat(encryption.open(bytes)).isSameAs(bytes);
        assertThat(encryption.open(encryption.seal(bytes)).payloadForm()).isEqualTo(PayloadForm.BYTES);
        assertThat(encryption.open(encryption.seal(bytes)).payloadBytes()).isEqualTo(looksEncrypted);
        EventEncryption strict =
                EventEncryption.builder("shop", keys).refusePlain().build();
        assertThatThrownBy(() -> strict.open(bytes)).isInstanceOf(DecryptionException.class);
        EventEncryption others =
                EventEncryption.builder("shop", keys).eventTypes("other").build();
        assertThat(others.seal(bytes)).isSameAs(bytes);
    }
}
