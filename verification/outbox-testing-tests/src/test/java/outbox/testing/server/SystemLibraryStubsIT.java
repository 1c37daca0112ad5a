package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemLibraryStubsIT {

    @Test
    void mysqlRunsOnTheStubsAlone(@TempDir Path directory) throws Exception {
        SystemLibraryStubs.install(List.of("libaio.so.1", "libnuma.so.1"), directory);
        Path mysqld = new EmbeddedMySql.Program().executable();
        ProcessBuilder builder = new ProcessBuilder(mysqld.toString(), "--no-defaults", "--version");
        builder.environment().put("LD_LIBRARY_PATH", directory.toString());
        builder.environment().put("LD_BIND_NOW", "1");
        Process process = builder.redirectErrorStream(true).start();

        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(output).contains("Ver 8.0.15");
        assertThat(process.waitFor()).isZero();
    }
}
