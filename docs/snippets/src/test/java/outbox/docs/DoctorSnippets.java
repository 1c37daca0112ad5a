package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.doctor.Answer;
import outbox.doctor.Answer.Verdict;
import outbox.doctor.Diagnosis;
import outbox.doctor.Doctor;
import outbox.doctor.Finding;
import outbox.doctor.ListenerTimes;
import outbox.doctor.Question;
import outbox.doctor.Severity;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;

/** For the page on the doctor. */
class DoctorSnippets {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions =
            new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);

    @Test
    void fromOutside() {
        // snippet: from-outside
        Diagnosis diagnosis = Doctor.of(dataSource).table("outbox_event").examine();

        for (Finding finding : diagnosis.findings()) {
            System.out.println(finding.severity() + " " + finding.code() + ": " + finding.seen());
        }
        int exitCode = diagnosis.exitCode(Severity.WARNING);
        // end
        assertThat(exitCode).isEqualTo(1);
        assertThat(diagnosis.findings()).extracting(Finding::code).containsExactly("table-missing");
    }

    @Test
    void fromInside() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
        DefaultListenerRegistry registry = new DefaultListenerRegistry();
        // snippet: from-inside
        ListenerTimes times = new ListenerTimes();
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(registry)
                .interceptor(times)
                .build()
                .start();

        Diagnosis diagnosis = Doctor.of(dataSource)
                .outbox(outbox)
                .listenerTimes(times)
                .observed(new Answer(Question.DEDUPLICATION, Verdict.YES, "the receiver keeps the event ids"))
                .examine();
        System.out.print(diagnosis.toText());
        // end
        assertThat(diagnosis.findings()).isEmpty();
        outbox.close();
    }

    @Test
    void probe() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
        Outbox outbox =
                JdbcOutbox.writerOnly(dataSource).transactions(txContext).build();
        // snippet: probe
        Diagnosis diagnosis = Doctor.of(dataSource)
                .writeProbe(outbox.writer(), work -> {
                    try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                        work.run(); // no commit: rolled back
                    }
                })
                .examine();
        // end
        assertThat(diagnosis.answer(Question.SAME_TRANSACTION).verdict()).isEqualTo(Verdict.YES);
    }
}
