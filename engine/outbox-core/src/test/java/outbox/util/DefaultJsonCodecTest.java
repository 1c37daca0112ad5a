package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DefaultJsonCodecTest {
    private final JsonCodec codec = JsonCodec.getDefault();

    @Test
    void nothingIsWrittenAsNullAndReadAsEmpty() {
        assertThat(codec.toJson(null)).isNull();
        assertThat(codec.toJson(Map.of())).isNull();
        assertThat(codec.parseObject(null)).isEmpty();
        assertThat(codec.parseObject("")).isEmpty();
        assertThat(codec.parseObject("null")).isEmpty();
        assertThat(codec.parseObject(" { } ")).isEmpty();
    }

    @Test
    void whatIsWrittenIsReadBack() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("plain", "value");
        headers.put("", "");
        headers.put("quote\"back\\slash", "line\nreturn\rtab\tbell\u0007\b\f");
        headers.put("unicode", "中文 😀 \u2028 \u007f");
        headers.put("nothing", null);

        assertThat(codec.parseObject(codec.toJson(headers))).isEqualTo(headers).containsExactlyEntriesOf(headers);
    }

    @Test
    void aNullKeyIsRefused() {
        Map<String, String> headers = new HashMap<>();
        headers.put(null, "v");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.toJson(headers))
                .withMessageContaining("null");
    }

    @Test
    void otherWritersNumbersAndBooleansAreReadAsText() {
        assertThat(codec.parseObject("{\"n\": -12.5e3, \"b\":true,\"x\":\"\\u0041\\/\"}"))
                .isEqualTo(Map.of("n", "-12.5e3", "b", "true", "x", "A/"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":}",
                "{\"a\":\"b\"",
                "{\"a\":\"b\",}",
                "{\"a\":{}}",
                "{\"a\":[1]}",
                "{a:1}",
                "{\"a\":01}",
                "{\"a\":tru}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"b\"} x",
                "text",
                "{\"a\":\"line\nbreak\"}",
                "{\"a\":\"unterminated}",
                "{,}",
                "{\"a\":\"b\"\"c\":\"d\"}"
            })
    void whatIsNotAFlatObjectIsRefused(String json) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.parseObject(json))
                .withMessageContaining("not a flat JSON object");
    }
}
