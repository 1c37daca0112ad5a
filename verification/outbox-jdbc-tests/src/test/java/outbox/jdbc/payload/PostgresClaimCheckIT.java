package outbox.jdbc.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresClaimCheckIT extends ClaimCheckContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }

    @Test
    void aProcessThatDiesBeforeItsCommitLeavesNothingForLong() throws Exception {
        crash();
        crash(directory.toString());
        assertThat(strings("SELECT event_id FROM outbox_event")).isEmpty();
        assertThat(bodies()).isEmpty();
        assertThat(files()).hasSize(1);

        PayloadSweep sweep = PayloadSweep.of(withFiles());
        assertThat(sweep.sweepOnce().orphans()).as("too young").isZero();
        PayloadSweep later = PayloadSweep.of(withFiles()).orphanAge(Duration.ofMillis(1));
        await().until(() -> later.sweepOnce().orphans() == 1 || files().isEmpty());
        assertThat(files()).isEmpty();
    }

    private void crash(String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CrashingWriter.class.getName(),
                database().jdbcUrl(),
                database().username(),
                database().password()));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(new File("target/CrashingWriter.log"))
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(CrashingWriter.HALTED);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
