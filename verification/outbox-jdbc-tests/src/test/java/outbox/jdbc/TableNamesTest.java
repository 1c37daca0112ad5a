package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.purge.H2EventPurger;
import outbox.jdbc.store.H2OutboxStore;

class TableNamesTest {
    @ParameterizedTest
    @ValueSource(strings = {"outbox_event", "_t", "T1", "billing.outbox_event", "a.b"})
    void namesOfTablesAreAccepted(String name) {
        assertThat(TableNames.validate(name)).isSameAs(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "outbox_event; DROP TABLE users",
                "outbox event",
                "outbox-event",
                "1outbox",
                "a.b.c",
                ".a",
                "a.",
                "\"quoted\"",
                "t--",
                "t/*",
                "t\n",
                "tab\u00fclle"
            })
    void anythingElseIsRefusedAndShown(String name) {
        assertThatThrownBy(() -> TableNames.validate(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'");
        assertThatThrownBy(() -> new H2OutboxStore(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new H2EventPurger(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesLongerThanDatabasesAllowAreRefused() {
        assertThat(TableNames.validate("t".repeat(63))).hasSize(63);
        assertThatThrownBy(() -> TableNames.validate("t".repeat(64))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nullIsRefused() {
        assertThatThrownBy(() -> TableNames.validate(null)).isInstanceOf(IllegalArgumentException.class);
    }
}
