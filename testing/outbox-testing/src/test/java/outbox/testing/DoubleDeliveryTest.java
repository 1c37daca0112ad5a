package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DoubleDeliveryTest {
    private final Set<String> seen = new HashSet<>();
    private final List<String> mails = new ArrayList<>();

    @Test
    void aHandlerThatKeepsWhatItHasSeenPasses() {
        DoubleDelivery.<String>of(event -> {
                    if (seen.add(event)) {
                        mails.add("mail for " + event);
                    }
                })
                .effect(() -> List.copyOf(mails))
                .check("42", "43");
        assertThat(mails).containsExactly("mail for 42", "mail for 43");
    }

    @Test
    void aHandlerThatDoesItAgainFailsWithBothEffects() {
        assertThatThrownBy(() -> DoubleDelivery.<String>of(event -> mails.add("mail for " + event))
                        .effect(() -> List.copyOf(mails))
                        .check("42"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not idempotent")
                .hasMessageContaining("after one:  [mail for 42]")
                .hasMessageContaining("after two:  [mail for 42, mail for 42]");
    }

    @Test
    void aSecondDeliveryThatFailsIsAFailure() {
        assertThatThrownBy(() -> DoubleDelivery.<String>of(event -> {
                            if (!seen.add(event)) {
                                throw new IllegalStateException("duplicate key");
                            }
                        })
                        .effect(() -> Set.copyOf(seen))
                        .check("42"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("the second delivery of 42 failed: java.lang.IllegalStateException: duplicate key");
    }

    @Test
    void anEffectThatIsNoneShowsNothing() {
        assertThatThrownBy(() -> DoubleDelivery.<String>of(event -> {})
                        .effect(() -> List.copyOf(mails))
                        .check("42"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("has no effect");
        assertThatThrownBy(() -> DoubleDelivery.<String>of(event -> {})
                        .effect(() -> List.copyOf(mails))
                        .check())
                .isInstanceOf(IllegalArgumentException.class);
    }
}
