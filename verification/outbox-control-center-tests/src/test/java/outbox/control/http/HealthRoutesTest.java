package outbox.control.http;

import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.audit.AuditKey;
import outbox.testing.server.EmbeddedH2;

@Timeout(120)
class HealthRoutesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final AtomicBoolean away = new AtomicBoolean();

    @Test
    void aProbeIsToldWhenTheDatabaseIsGoneAndWhenItIsBack() throws Exception {
        OutboxTable orders = OutboxTable.on(EmbeddedH2.shared());
        try (ControlCenter center = ControlCenter.builder(unreliable(orders.dataSource()), new AuditKey(new byte[32]))
                        .application(orders.application())
                        .build();
                WebFixture web = new WebFixture(new ControlCenterServlet(center, request -> null), directory)) {
            await().atMost(PATIENCE).until(() -> status(web) == 200);
            away.set(true);
            await().atMost(PATIENCE).until(() -> status(web) == 503);
            away.set(false);
            await().atMost(PATIENCE).until(() -> status(web) == 200);
        }
    }

    private static int status(WebFixture web) throws Exception {
        return web.send("GET", "/api/v1/health", null, null).statusCode();
    }

    private DataSource unreliable(DataSource dataSource) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (away.get() && method.getName().equals("getConnection")) {
                        throw new SQLTransientConnectionException("away");
                    }
                    try {
                        return method.invoke(dataSource, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
