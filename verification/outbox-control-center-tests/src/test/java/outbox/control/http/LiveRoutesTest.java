package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.testing.server.EmbeddedH2;

@Timeout(120)
class LiveRoutesTest {
    private static final int MORE_THAN_THERE_ARE_PERMITS = 101;

    @TempDir
    private Path directory;

    @Test
    void streamsThatCannotBeginTakeNoPermitsFromThoseThatCan() throws Exception {
        OutboxTable orders = OutboxTable.on(EmbeddedH2.shared());
        ControlCenter center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .build();
        ControlCenterServlet servlet = new ControlCenterServlet(
                center, WebFixture.operators(Map.of("anna", Operator.everywhere("anna", Role.VIEWER, false))));
        try (WebFixture web = new WebFixture(servlet, directory, false)) {
            for (int i = 0; i < MORE_THAN_THERE_ARE_PERMITS; i++) {
                HttpResponse<String> stream = web.send("GET", "/api/v1/apps/orders/stream", "anna", null);
                assertThat(stream.statusCode()).as("stream %s", i).isEqualTo(501);
                assertThat(stream.body()).contains("async-supported");
            }
        }
    }
}
