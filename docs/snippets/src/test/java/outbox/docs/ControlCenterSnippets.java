package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.control.http.ControlCenterServlet;
import outbox.control.source.Application;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.node.AttemptRecorder;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;

class ControlCenterSnippets {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private final byte[] auditSecret = new byte[32];

    @BeforeEach
    void createTable() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            new H2OutboxStore().schema().apply(conn);
        }
    }

    @Test
    void recorder() {
        // snippet: recorder
        AttemptRecorder attempts = AttemptRecorder.on(dataSource);
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .listeners(listeners)
                .failureListener(attempts)
                .build()
                .start();
        // end
        outbox.close();
        attempts.close();
        assertThat(attempts.lost()).isZero();
    }

    @Test
    void embed() {
        // snippet: embed
        ControlCenter center = ControlCenter.builder(dataSource, new AuditKey(auditSecret))
                .application(Application.of("orders", dataSource))
                .build();
        ControlCenterServlet servlet = new ControlCenterServlet(
                center,
                request -> request.isUserInRole("OPS")
                        ? Operator.everywhere(request.getRemoteUser(), Role.OPERATOR, false)
                        : null);
        // end
        assertThat(center.sources()).hasSize(1);
        servlet.destroy();
    }
}
