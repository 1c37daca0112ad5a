package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("P7 exception rules")
class ExceptionRulesTest {
    @Test
    void theRuleForTheMostSpecificClassDecides() {
        ExceptionRules all = new ExceptionRules();
        all.put(List.of(IOException.class), true);

        ExceptionRules own =
                all.with(HandlerOptions.DEFAULT.retryOn(ConnectException.class).deadOn(IllegalArgumentException.class));

        assertThat(own.isDead(new IOException())).isTrue();
        assertThat(own.isDead(new FileNotFoundException())).isTrue();
        assertThat(own.isDead(new ConnectException())).isFalse();
        assertThat(own.isDead(new NumberFormatException())).isTrue();
        assertThat(own.isDead(new IllegalStateException())).isFalse();
        assertThat(all.isDead(new IllegalArgumentException())).isFalse();
    }

    @Test
    void aHandlerMayContradictTheRuleForAll() {
        ExceptionRules all = new ExceptionRules();
        all.put(List.of(IOException.class), true);

        assertThat(all.with(HandlerOptions.DEFAULT.retryOn(IOException.class)).isDead(new IOException()))
                .isFalse();
    }
}
