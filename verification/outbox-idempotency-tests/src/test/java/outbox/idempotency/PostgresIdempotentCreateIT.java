package outbox.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import org.junit.jupiter.api.Test;
import outbox.domain.TxMode;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresIdempotentCreateIT extends IdempotentCreateContract {
    @Override
    protected DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }

    @Test
    void aSurroundingTransactionThatSeesOnlyItsBeginningIsToldSo() throws Exception {
        database.transactions.run(TxMode.REQUIRED, () -> {
            Connection connection = database.tx.currentConnection();
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            database.effect("something read or written before");
            assertThatThrownBy(() -> template.create(request("k-1").build(), this::insert))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("READ COMMITTED");
            return true;
        });
        assertThat(database.effects()).hasSize(1);
    }
}
