package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import outbox.cdc.CdcRelay;
import outbox.cdc.CdcStatus;
import outbox.cdc.JdbcDeadLetters;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;

/** Built and not started: the tests of outbox-cdc run it on real databases. */
class CdcSnippets {
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final ConnectionProvider connections = () -> {
        throw new SQLException("there is no database in this test");
    };

    @Test
    void relay() {
        String password = "";
        // snippet: relay
        CdcRelay relay = CdcRelay.reading("jdbc:postgresql://db.example.com:5432/shop", "outbox_cdc", password)
                .listeners(registry)
                .deadLetters(new JdbcDeadLetters(connections))
                .build(); // .start() checks the database and begins
        // end
        assertThat(relay.status().state()).isEqualTo(CdcStatus.State.STOPPED);
        relay.close();
    }
}
