package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;
import static outbox.cdc.CdcFixture.event;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedServer;

/** Compiled here, and run in a module of its own. */
class MariaDbCdcRelayIT extends CdcRelayContract {
    private static EmbeddedServer server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedMariaDb.start(CdcFixture.withRowsInTheLog()
                // By default nothing is purged while no replica is connected.
                .with("slave-connections-needed-for-purge", "0"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    DatabaseServer server() {
        return server;
    }

    /** Debezium's connector for MariaDB does not begin anew by itself. */
    @Test
    @Override
    void aLostPlaceInTheLogMeansReadingTheTableAgain() {
        CdcRelay first = running(fixture.relay());
        fixture.write(event("k", 1));
        awaitTaken(1);
        first.close();
        fixture.write(event("k", 2));
        fixture.loseTheLog();
        fixture.write(event("k", 3));
        CdcRelay stuck = fixture.start(fixture.relay());
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(stuck.status().lastError()).contains("have been purged");
            assertThat(stuck.status().warning()).contains("call forget()");
        });
        stuck.close();
        stuck.forget();
        running(fixture.relay());
        awaitTaken(4);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 1, 2, 3);
    }
}
