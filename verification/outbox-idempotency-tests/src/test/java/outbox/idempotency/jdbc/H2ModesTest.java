package outbox.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.domain.TxMode;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerState;
import outbox.idempotency.CreateWork;
import outbox.idempotency.IdempotencyKey;
import outbox.idempotency.IdempotencyRecords.Claim;
import outbox.idempotency.Ulid128;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.ConnectionProvider;

/** H2 as applications use it in tests: imitating another database. */
class H2ModesTest {
    @ParameterizedTest
    @ValueSource(strings = {"REGULAR", "PostgreSQL", "MySQL", "MariaDB"})
    void theTablesWorkInModesOfOtherDatabases(String mode) throws Exception {
        ConnectionProvider connections = () -> connect(mode);
        ThreadLocalTxContext tx = new ThreadLocalTxContext();
        JdbcTransactionRunner transactions = new JdbcTransactionRunner(new JdbcTransactionManager(connections, tx), tx);
        try (Connection keptOpen = connections.getConnection()) {
            IdempotencySchema.of("h2").apply(keptOpen);
            JdbcEventConsumptionTracker tracker = new JdbcEventConsumptionTracker("h2", connections, tx);
            tracker.record(List.of(
                    new HandlerOutcome("e", "mail", HandlerState.RETRY, 1, Duration.ofMinutes(1), "no"),
                    new HandlerOutcome("e", "stock", HandlerState.DONE, 1, Duration.ZERO, null)));
            assertThat(transactions.run(TxMode.REQUIRED, () -> tracker.consume("e", "mail")))
                    .isTrue();
            assertThat(transactions.run(TxMode.REQUIRED, () -> tracker.consume("e", "stock")))
                    .isFalse();

            JdbcIdempotencyRecords records = new JdbcIdempotencyRecords("h2", connections, tx);
            IdempotencyKey key = new IdempotencyKey("", "order", "k");
            Claim.Granted granted = (Claim.Granted) records.claim(
                    key,
                    "0".repeat(64),
                    new CreateWork.NewId(Ulid128.next(), "p"),
                    Duration.ofSeconds(5),
                    Duration.ofDays(1));
            transactions.run(TxMode.REQUIRED, () -> {
                assertThat(records.hold(key, granted.owner())).isTrue();
                records.succeeded(key, granted.owner(), "{}", Duration.ofDays(1));
                return true;
            });
            assertThat(records.purgeExpired(10)).isZero();
        }
    }

    private static Connection connect(String mode) throws SQLException {
        return DriverManager.getConnection("jdbc:h2:mem:modes_" + mode + ";MODE=" + mode, "sa", "");
    }
}
