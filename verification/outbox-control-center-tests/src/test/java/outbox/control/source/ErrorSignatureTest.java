package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorSignatureTest {
    private static final String STACK =
            "\n  at app//shop.Payments.charge(Payments.java:%d)\n  at shop.Main.run(Main.java:3)\nCaused by: java.net.ConnectException: no";

    @Test
    void theSameCauseIsTheSameGroupWhateverTheOrderOrTheLine() {
        ErrorSignature one = ErrorSignature.of("java.io.IOException: order 17 timed out" + STACK.formatted(12));
        ErrorSignature other = ErrorSignature.of("java.io.IOException: order 99812 timed out" + STACK.formatted(14));
        assertThat(one).isEqualTo(other);
        assertThat(one.id()).isEqualTo(other.id()).matches("[0-9a-f]{16}");
        assertThat(one.errorClass()).isEqualTo("java.io.IOException");
        assertThat(one.message()).isEqualTo("order # timed out");
        assertThat(one.frame()).isEqualTo("shop.Payments.charge");
    }

    @Test
    void anotherClassMessageOrFrameIsAnotherGroup() {
        ErrorSignature one = ErrorSignature.of("java.io.IOException: away" + STACK.formatted(1));
        assertThat(ErrorSignature.of("java.io.EOFException: away" + STACK.formatted(1))
                        .id())
                .isNotEqualTo(one.id());
        assertThat(ErrorSignature.of("java.io.IOException: gone" + STACK.formatted(1))
                        .id())
                .isNotEqualTo(one.id());
        assertThat(ErrorSignature.of("java.io.IOException: away").id()).isNotEqualTo(one.id());
    }

    @ParameterizedTest
    @CsvSource({
        "id 01K9ZC3S8V5T0M3J6W2Q4R7XYZ is unknown, id # is unknown",
        "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is unknown, id # is unknown",
        "at 2026-01-31T12:00:00.123Z it ended, at # it ended",
        "host 10.0.0.17:8080 is away, host # is away",
        "shop.Order@1b2c3d is odd, shop.Order# is odd",
        "no numbers here, no numbers here"
    })
    void whatDiffersFromEventToEventIsLeftOut(String message, String normalised) {
        assertThat(ErrorSignature.of("shop.OddException: " + message).message()).isEqualTo(normalised);
    }

    @Test
    void aTextThatIsNoExceptionIsAGroupTooAndSoIsNothing() {
        assertThat(ErrorSignature.of("the other side said 503").errorClass()).isEqualTo("(text)");
        assertThat(ErrorSignature.of("the other side said 503").message()).isEqualTo("the other side said #");
        assertThat(ErrorSignature.of("shop.OddException").errorClass()).isEqualTo("shop.OddException");
        assertThat(ErrorSignature.of(null)).isEqualTo(ErrorSignature.of(" "));
    }
}
