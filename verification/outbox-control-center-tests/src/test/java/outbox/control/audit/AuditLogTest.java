package outbox.control.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.control.ControlCenter;
import outbox.testing.server.EmbeddedPostgres;

/** Whoever changes the log without the key is found out. */
class AuditLogTest {
    private static final AuditKey KEY = new AuditKey(new byte[32]);

    @TempDir
    private Path directory;

    private DataSource dataSource;
    private AuditLog log;

    @BeforeEach
    void fiveEntries() throws SQLException {
        dataSource = EmbeddedPostgres.shared().freshDatabase().dataSource();
        ControlCenter.schema("postgresql").apply(dataSource);
        log = new AuditLog(dataSource, KEY, AuditAnchor.inFile(directory.resolve("anchor")), InstantSource.system());
        for (int i = 1; i <= 5; i++) {
            log.add(new AuditLog.Note("anna", "127.0.0.1", "event.retry", "orders", "event-" + i, "ok", null));
        }
    }

    @Test
    void anUntouchedLogIsIntact() throws SQLException {
        AuditReport report = log.verify();
        assertThat(report.problems()).isEmpty();
        assertThat(report.entries()).isEqualTo(5);
    }

    @Test
    void pagesAreNewestFirst() throws SQLException {
        assertThat(log.page(null, null, 2)).extracting(AuditEntry::seq).containsExactly(5L, 4L);
        assertThat(log.page(4L, null, 2)).extracting(AuditEntry::seq).containsExactly(3L, 2L);
        assertThat(log.page(null, "billing", 2)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE outbox_cc_audit SET actor = 'ben' WHERE seq = 3",
                "UPDATE outbox_cc_audit SET outcome = 'denied' WHERE seq = 5",
                "UPDATE outbox_cc_audit SET happened_at = happened_at + INTERVAL '1 second' WHERE seq = 1",
                "UPDATE outbox_cc_audit SET detail = '' WHERE seq = 2",
                "UPDATE outbox_cc_audit SET target = application, application = target WHERE seq = 2",
                "DELETE FROM outbox_cc_audit WHERE seq = 1",
                "DELETE FROM outbox_cc_audit WHERE seq = 3",
                "DELETE FROM outbox_cc_audit WHERE seq = 5",
                "DELETE FROM outbox_cc_audit",
                "DELETE FROM outbox_cc_audit_head",
                "UPDATE outbox_cc_audit_head SET seq = 4",
                "UPDATE outbox_cc_audit_head SET head_mac = repeat('0', 64)",
                "UPDATE outbox_cc_audit SET seq = CASE seq WHEN 2 THEN 30 ELSE 2 END WHERE seq IN (2, 3);"
                        + " UPDATE outbox_cc_audit SET seq = 3 WHERE seq = 30",
                "DELETE FROM outbox_cc_audit WHERE seq > 3;"
                        + " UPDATE outbox_cc_audit_head SET seq = 3, mac = (SELECT mac FROM outbox_cc_audit WHERE seq = 3)",
                "INSERT INTO outbox_cc_audit SELECT 6, happened_at, actor, address, action, application, target, outcome,"
                        + " detail, mac FROM outbox_cc_audit WHERE seq = 5"
            })
    void editsDeletionsReorderingsAndTruncationAreFound(String tampering) throws SQLException {
        execute(tampering);
        assertThat(log.verify().problems()).isNotEmpty();
    }

    @Test
    void anOlderCopyPutBackIsFoundByTheAnchor() throws SQLException {
        execute("CREATE TABLE copy_log AS TABLE outbox_cc_audit; CREATE TABLE copy_head AS TABLE outbox_cc_audit_head");
        log.add(new AuditLog.Note("anna", null, "event.delete", "orders", "event-6", "ok", "to hide"));
        execute("DELETE FROM outbox_cc_audit; INSERT INTO outbox_cc_audit SELECT * FROM copy_log;"
                + " DELETE FROM outbox_cc_audit_head; INSERT INTO outbox_cc_audit_head SELECT * FROM copy_head");
        assertThat(log.verify().problems()).singleElement().asString().contains("entry 6");
        log = new AuditLog(dataSource, KEY, AuditAnchor.inFile(directory.resolve("anchor")), InstantSource.system());
        log.add(new AuditLog.Note("ben", null, "event.retry", "orders", "event-7", "ok", null));
        assertThat(log.verify().problems())
                .as("another entry in its place does not hide it")
                .isNotEmpty();
        log.add(new AuditLog.Note("ben", null, "event.retry", "orders", "event-8", "ok", null));
        assertThat(log.verify().problems())
                .as("a log that is longer again does not hide it either")
                .singleElement()
                .asString()
                .contains("entry 6");
    }

    @Test
    void anEntryOfAnotherServerIsNoReasonToKeepAnOldAnchor() throws SQLException {
        AuditAnchor anchor = AuditAnchor.inFile(directory.resolve("anchor"));
        AuditLog other = new AuditLog(dataSource, KEY, AuditAnchor.NONE, InstantSource.system());
        other.add(new AuditLog.Note("ben", null, "event.retry", "orders", "event-6", "ok", null));
        AuditEntry last = log.add(new AuditLog.Note("anna", null, "event.retry", "orders", "event-7", "ok", null));
        assertThat(anchor.kept()).isEqualTo(new AuditAnchor.Mark(last.seq(), last.mac()));
        assertThat(log.verify().problems()).isEmpty();
    }

    private static AuditLog.Note note(String action) {
        return new AuditLog.Note("anna", null, action, null, null, "ok", null);
    }

    @Test
    void anAnchorThatCanNotBeWrittenDoesNotMakeAFailureOfWhatWasDone() throws SQLException {
        Path nowhere = directory.resolve("gone").resolve("anchor");
        AuditLog unanchored = new AuditLog(dataSource, KEY, AuditAnchor.inFile(nowhere), InstantSource.system());
        long seq = unanchored.add(note("done")).seq();
        assertThat(log.add(note("later")).seq()).isEqualTo(seq + 1);
        assertThat(log.verify().problems()).isEmpty();
    }

    @Test
    void anAnchorThatCanNotBeReadStaysUntilSomebodyHasSeenIt() throws Exception {
        Path file = directory.resolve("anchor");
        Files.writeString(file, "");
        log.add(note("login"));
        assertThat(file).isEmptyFile();
        assertThatThrownBy(log::verify).hasMessageContaining("cannot read the end of the audit log");
    }

    @Test
    void anAnchorThatIsRemovedBeginsAnew() throws Exception {
        AuditAnchor anchor = AuditAnchor.inFile(directory.resolve("another"));
        anchor.keep(7, "seven");
        Files.delete(directory.resolve("another"));
        anchor.keep(3, "three");
        assertThat(anchor.kept()).isEqualTo(new AuditAnchor.Mark(3, "three"));
    }

    @Test
    void theAnchorKeepsTheLastEntryInWhateverOrderItIsToldOfThem() {
        AuditAnchor anchor = AuditAnchor.inFile(directory.resolve("another"));
        anchor.keep(7, "seven");
        anchor.keep(6, "six");
        assertThat(anchor.kept()).isEqualTo(new AuditAnchor.Mark(7, "seven"));
    }

    @Test
    void anEntryThatIsAddedDuringTheCheckIsNotMissed() throws SQLException {
        AtomicInteger more = new AtomicInteger(2);
        DataSource busy = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object made = method.invoke(dataSource, arguments);
                    return made instanceof Connection conn ? busy(conn, more) : made;
                });
        AuditLog checked = new AuditLog(busy, KEY, AuditAnchor.NONE, InstantSource.system());
        AuditReport report = checked.verify();
        assertThat(report.problems()).isEmpty();
        assertThat(report.entries()).isEqualTo(7);
    }

    /** Just before the end of the log is read, somebody adds an entry. */
    private Connection busy(Connection real, AtomicInteger more) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")
                            && arguments[0].toString().contains("outbox_cc_audit_head")
                            && more.getAndDecrement() > 0) {
                        log.add(new AuditLog.Note("ben", null, "event.retry", "orders", "event", "ok", null));
                    }
                    return method.invoke(real, arguments);
                });
    }

    @Test
    void anExportCanBeVerifiedElsewhereAndShowsEveryChange() throws Exception {
        List<AuditEntry> export = new ArrayList<>();
        log.export(export::add);
        assertThat(problems(export)).isEmpty();
        assertThat(export).hasSize(5);

        List<AuditEntry> without = new ArrayList<>(export);
        without.remove(2);
        assertThat(problems(without)).first().asString().contains("3 to 3 are missing");
        List<AuditEntry> swapped = new ArrayList<>(export);
        Collections.swap(swapped, 1, 2);
        assertThat(problems(swapped)).isNotEmpty();
        List<AuditEntry> edited = new ArrayList<>(export);
        AuditEntry third = edited.get(2);
        edited.set(
                2,
                new AuditEntry(
                        third.seq(),
                        third.at(),
                        "ben",
                        third.address(),
                        third.action(),
                        third.application(),
                        third.target(),
                        third.outcome(),
                        third.detail(),
                        third.mac()));
        assertThat(problems(edited)).containsExactly("entry 3 or an entry before it was modified");
        AuditChain cut = new AuditChain(KEY);
        export.subList(0, 4).forEach(cut::add);
        assertThat(cut.last())
                .as("less than the control center's own check says")
                .isEqualTo(4);
    }

    private static List<String> problems(List<AuditEntry> entries) {
        AuditChain chain = new AuditChain(KEY);
        entries.forEach(chain::add);
        return chain.problems();
    }

    @Test
    void anotherKeyDoesNotFit() throws SQLException {
        byte[] other = new byte[32];
        other[0] = 1;
        assertThat(new AuditLog(dataSource, new AuditKey(other), AuditAnchor.NONE, InstantSource.system())
                        .verify()
                        .problems())
                .isNotEmpty();
    }

    @Test
    void aShortKeyIsRefused() {
        assertThatThrownBy(() -> new AuditKey(new byte[31])).hasMessageContaining("not 31");
    }

    private void execute(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }
}
