package outbox.control.http;

import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.testing.server.EmbeddedH2;

/** The same client, requests and checks, with the application reached through its own control center. */
class OpenApiOverHttpTest extends OpenApiTest {
    private EmbeddedCenter embedded;

    @Override
    Served served(ControlCenter own, OutboxTable orders, Path directory) throws Exception {
        embedded = new EmbeddedCenter(
                own,
                Operator.everywhere("token center", Role.ADMIN, true).withClones(),
                Files.createDirectory(directory.resolve("embedded")));
        DataSource database = EmbeddedH2.shared().freshDatabase().dataSource();
        ControlCenter center = ControlCenter.builder(database, new AuditKey(new byte[32]))
                .application(embedded.overHttp())
                .announcements(List.of("https://*.internal"))
                .sampleInterval(Duration.ofMillis(100))
                .build();
        await().until(() -> center.remotes().iterator().next().latest().sample() != null);
        return new Served(center, database);
    }

    @AfterEach
    void stopEmbedded() throws Exception {
        embedded.close();
    }
}
