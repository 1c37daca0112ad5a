package outbox.jdbc.payload;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.PayloadSource;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.ConnectionProvider;

/** A process that ends after it wrote a large event and before the commit. */
final class CrashingWriter {
    static final int HALTED = 42;

    private CrashingWriter() {}

    /** @param arguments URL, user, password, and the directory of the files, or nothing for the table */
    public static void main(String[] arguments) throws SQLException {
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(arguments[0]);
        ConnectionProvider connections = () -> DriverManager.getConnection(arguments[0], arguments[1], arguments[2]);
        ThreadLocalTxContext tx = new ThreadLocalTxContext();
        ClaimCheck.Builder claimCheck = ClaimCheck.builder(store, connections).transactions(tx);
        if (arguments.length > 3) {
            claimCheck.objects(new FileObjectStore(Path.of(arguments[3])));
        }
        Outbox outbox = Outbox.writerOnly()
                .store(store)
                .connections(connections)
                .transactions(tx)
                .seal(claimCheck.build())
                .build();
        var unused = new JdbcTransactionManager(connections, tx).begin();
        outbox.writer()
                .write(EventEnvelope.builder("Large")
                        .payloadSource(PayloadSource.ofBytes(new byte[3_000_000]))
                        .build());
        Runtime.getRuntime().halt(HALTED);
    }
}
