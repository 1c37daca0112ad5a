package outbox.benchmark.memory;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.PayloadSource;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.payload.ClaimCheck;
import outbox.jdbc.payload.FileObjectStore;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventSeal;

/** The JVM with the small heap: writes an event with a large payload, delivers it, and compares what arrives. */
final class LargePayloadHeap {
    private static final int BLOCK = 64 * 1024;

    private LargePayloadHeap() {}

    /** @param args URL, user, password, megabytes, directory for files */
    public static void main(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(8);
        long size = Long.parseLong(args[3]) << 20;
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(args[0]);
        boolean same;
        try (HikariDataSource pool = new HikariDataSource(config)) {
            ConnectionProvider connections = new DataSourceConnectionProvider(pool);
            ThreadLocalTxContext tx = new ThreadLocalTxContext();
            ClaimCheck.Builder table = ClaimCheck.builder(store, connections).transactions(tx);
            same = deliver("in the table", table.build(), store, connections, tx, size);
            table.over(new Passing());
            same &= deliver("in the table, encrypted", table.build(), store, connections, tx, size);
            ClaimCheck files = ClaimCheck.builder(store, connections)
                    .transactions(tx)
                    .objects(new FileObjectStore(Path.of(args[4])))
                    .build();
            same &= deliver("in files", files, store, connections, tx, size);
        }
        System.exit(same ? 0 : 1);
    }

    private static boolean deliver(
            String where,
            ClaimCheck claimCheck,
            AbstractJdbcOutboxStore store,
            ConnectionProvider connections,
            ThreadLocalTxContext tx,
            long size)
            throws Exception {
        AtomicLong checksum = new AtomicLong(-1);
        AtomicLong length = new AtomicLong();
        AtomicLong mostUsed = new AtomicLong();
        CountDownLatch delivered = new CountDownLatch(1);
        try (Outbox outbox = Outbox.multiNode()
                .store(store)
                .connections(connections)
                .transactions(tx)
                .seal(claimCheck)
                .listeners(new DefaultListenerRegistry().register("Large", event -> {
                    CRC32 crc = new CRC32();
                    byte[] block = new byte[BLOCK];
                    try (InputStream in = event.payloadStream()) {
                        for (int read; (read = in.read(block)) > 0; ) {
                            crc.update(block, 0, read);
                            length.addAndGet(read);
                            mostUsed.accumulateAndGet(used(), Math::max);
                        }
                    }
                    checksum.set(crc.getValue());
                    delivered.countDown();
                }))
                .build()
                .start()) {
            Generated source = new Generated(size);
            long start = System.nanoTime();
            long written;
            try (var transaction = new JdbcTransactionManager(connections, tx).begin()) {
                outbox.writer()
                        .write(EventEnvelope.builder("Large")
                                .payloadSource(source)
                                .build());
                transaction.commit();
                written = System.nanoTime();
            }
            if (!delivered.await(10, TimeUnit.MINUTES)) {
                System.out.println("  " + where + ": not delivered");
                return false;
            }
            boolean same = length.get() == size && checksum.get() == source.checksum();
            System.out.println("  " + where + ": written in "
                    + Duration.ofNanos(written - start).toMillis() + " ms, delivered in "
                    + Duration.ofNanos(System.nanoTime() - written).toMillis() + " ms, at most "
                    + (mostUsed.get() >> 20) + " MB of "
                    + (Runtime.getRuntime().maxMemory() >> 20) + " MB heap used, garbage included; "
                    + (same ? "as it was written" : "NOT as it was written"));
            return same;
        }
    }

    private static long used() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** A seal that changes nothing, which makes the claim check encrypt the bodies. */
    private static final class Passing implements EventSeal {
        @Override
        public EventEnvelope seal(EventEnvelope event) {
            return event;
        }

        @Override
        public EventEnvelope open(EventEnvelope stored) {
            return stored;
        }
    }

    /** Bytes that are never in memory together. */
    private static final class Generated implements PayloadSource {
        private final long size;

        Generated(long size) {
            this.size = size;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public InputStream open() {
            return new InputStream() {
                private long position;

                @Override
                public int read() {
                    return position == size ? -1 : next();
                }

                @Override
                public int read(byte[] into, int offset, int count) {
                    if (count == 0) {
                        return 0;
                    }
                    int length = (int) Math.min(count, size - position);
                    for (int i = 0; i < length; i++) {
                        into[offset + i] = (byte) next();
                    }
                    return length == 0 ? -1 : length;
                }

                private int next() {
                    long x = position++ * 0x9E3779B97F4A7C15L;
                    return (int) (x >>> 40) & 0xff;
                }
            };
        }

        long checksum() throws IOException {
            CRC32 crc = new CRC32();
            byte[] block = new byte[BLOCK];
            try (InputStream in = open()) {
                for (int read; (read = in.read(block)) > 0; ) {
                    crc.update(block, 0, read);
                }
            }
            return crc.getValue();
        }
    }
}
