package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir
    private Path directory;

    /** The file as a process leaves it that is killed right after a commit. */
    @Test
    void whatWasCommittedIsInTheFile() throws Exception {
        DataDirectory data = new DataDirectory(directory.resolve("data"));
        DataDirectory killed = new DataDirectory(directory.resolve("killed"));
        try (Connection conn = DriverManager.getConnection(data.h2Url(), "sa", "");
                Statement statement = conn.createStatement()) {
            statement.execute("CREATE TABLE entry (seq INT PRIMARY KEY)");
            for (int seq = 1; seq <= 20; seq++) {
                statement.execute("INSERT INTO entry VALUES (" + seq + ")");
            }
            Files.copy(directory.resolve("data/control.mv.db"), directory.resolve("killed/control.mv.db"));
        }
        assertThat(entries(killed)).isEqualTo(20);
    }

    private static int entries(DataDirectory data) throws SQLException {
        try (Connection conn = DriverManager.getConnection(data.h2Url(), "sa", "");
                Statement statement = conn.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM entry")) {
            count.next();
            return count.getInt(1);
        }
    }
}
