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

    /** H2 2.5.252 does not find the last commits again in a file whose space it used twice. */
    @Test
    void soItIsWhereSpaceInTheFileWasUsedTwice() throws Exception {
        DataDirectory data = new DataDirectory(directory.resolve("data"));
        DataDirectory killed = new DataDirectory(directory.resolve("killed"));
        try (Connection conn = DriverManager.getConnection(data.h2Url() + ";RETENTION_TIME=0", "sa", "");
                Statement statement = conn.createStatement()) {
            statement.execute("CREATE TABLE entry (seq INT PRIMARY KEY)");
            statement.execute("CREATE TABLE item (id INT PRIMARY KEY, text VARCHAR)");
            statement.execute("INSERT INTO item SELECT x, REPEAT('x', 200) FROM SYSTEM_RANGE(1, 500)");
            conn.setAutoCommit(false);
            for (int seq = 1; seq <= 200; seq++) {
                for (int i = 0; i < 10; i++) {
                    int id = 1 + (seq * 37 + i * 53) % 500;
                    statement.execute("UPDATE item SET text = REPEAT('" + seq + "', 60) WHERE id = " + id);
                }
                statement.execute("INSERT INTO entry VALUES (" + seq + ")");
                conn.commit();
            }
            Files.copy(directory.resolve("data/control.mv.db"), directory.resolve("killed/control.mv.db"));
        }
        assertThat(entries(killed)).isEqualTo(200);
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
