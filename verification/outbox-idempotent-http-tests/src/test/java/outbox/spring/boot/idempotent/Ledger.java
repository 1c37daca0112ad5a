package outbox.spring.boot.idempotent;

import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ReflectionUtils;

/** The effects of the requests, in the database, and what disturbs them. */
class Ledger {
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    final Set<String> failing = ConcurrentHashMap.newKeySet();
    final Set<String> unavailable = ConcurrentHashMap.newKeySet();
    final Set<String> failingAtCommit = ConcurrentHashMap.newKeySet();
    final Map<String, Throwable> thrownAtCommit = new ConcurrentHashMap<>();
    final Set<String> losingConnection = ConcurrentHashMap.newKeySet();
    final Map<String, CountDownLatch> entered = new ConcurrentHashMap<>();
    final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();

    Ledger(JdbcTemplate jdbc, PlatformTransactionManager transactions) {
        this.jdbc = jdbc;
        this.transactions = new TransactionTemplate(transactions);
        jdbc.execute("CREATE TABLE IF NOT EXISTS booking (id VARCHAR(40) PRIMARY KEY, item VARCHAR(100))");
    }

    /** @return the id of the booking */
    String book(String item) {
        return Objects.requireNonNull(transactions.execute(status -> insert(item)));
    }

    String insert(String item) {
        String id = UUID.randomUUID().toString();
        jdbc.update("INSERT INTO booking (id, item) VALUES (?, ?)", id, item);
        if (failingAtCommit.remove(item)) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    throw new DataIntegrityViolationException("refused at the commit: " + item);
                }
            });
        }
        Throwable thrown = thrownAtCommit.remove(item);
        if (thrown != null) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    ReflectionUtils.rethrowRuntimeException(thrown);
                }
            });
        }
        if (losingConnection.remove(item)) { // neither the answer nor the rollback reaches the database
            DataSource dataSource = Objects.requireNonNull(jdbc.getDataSource());
            try {
                DataSourceUtils.getConnection(dataSource).close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
        return id;
    }

    void disturb(String item) throws InterruptedException {
        CountDownLatch arrived = entered.get(item);
        if (arrived != null) {
            arrived.countDown();
        }
        CountDownLatch hold = held.get(item);
        if (hold != null && !hold.await(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("nobody let the request go on: " + item);
        }
        if (failing.remove(item)) {
            throw new IllegalStateException("failed as asked: " + item);
        }
    }

    CountDownLatch enters(String item) {
        return entered.computeIfAbsent(item, any -> new CountDownLatch(1));
    }

    CountDownLatch hold(String item) {
        return held.computeIfAbsent(item, any -> new CountDownLatch(1));
    }

    int count(String item) {
        Integer count = jdbc.queryForObject("SELECT COUNT(*) FROM booking WHERE item = ?", Integer.class, item);
        return count == null ? 0 : count;
    }
}
