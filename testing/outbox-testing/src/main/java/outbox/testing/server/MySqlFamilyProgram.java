package outbox.testing.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What MySQL and MariaDB have in common as programs. */
abstract class MySqlFamilyProgram implements ServerProgram {

    private static final String ACCOUNT = "outbox";

    /** Run by the server at each start, before it accepts connections; the installed root may only come locally. */
    private static final String CREATE_ACCOUNT = """
            CREATE USER IF NOT EXISTS 'outbox'@'%' IDENTIFIED BY 'outbox';
            GRANT ALL ON *.* TO 'outbox'@'%' WITH GRANT OPTION;
            """;

    private final DatabaseKind kind;

    MySqlFamilyProgram(DatabaseKind kind) {
        this.kind = kind;
    }

    static void requireLinuxOnAmd64(DatabaseKind kind) {
        String platform = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        if (!platform.equals("Linux on amd64")) {
            throw new IllegalStateException("The program files of " + kind.title() + " are for Linux on amd64, and this"
                    + " is " + platform + ". Name a server that already runs by the system property " + kind.property()
                    + ".url.");
        }
    }

    /** The directory with {@code bin} and {@code share}. */
    abstract Path home();

    abstract Path executable();

    abstract Map<String, String> environment();

    /** Options only this member of the family needs for serving. */
    abstract List<String> ownServingOptions();

    /** Returns a command with what is needed for initialising and for serving alike. */
    Command command(ServerDirectory directory, List<String> options) {
        List<String> words = new ArrayList<>();
        words.add(executable().toString());
        words.add("--no-defaults");
        words.add("--basedir=" + home());
        words.add("--lc-messages-dir=" + home().resolve("share"));
        words.add("--datadir=" + directory.data());
        words.add("--tmpdir=" + directory.temporary());
        // As root the server insists on being told so. An unknown user ('?') is never root.
        String user = System.getProperty("user.name");
        if (!user.equals("?")) {
            words.add("--user=" + user);
        }
        words.addAll(options);
        return new Command(List.copyOf(words), environment());
    }

    @Override
    public Command serve(ServerDirectory directory, int port, ServerOptions options) {
        List<String> words = new ArrayList<>();
        words.add("--port=" + port);
        words.add("--bind-address=" + FreePort.LOOPBACK);
        // Relative to the data directory, because the path of a socket may not be long.
        words.add("--socket=server.sock");
        words.add("--pid-file=" + lockFile(directory));
        words.add("--init-file=" + accountFile(directory));
        words.add("--skip-name-resolve");
        words.add("--skip-ssl");
        words.add("--max-connections=200");
        words.add("--character-set-server=utf8mb4");
        words.add("--innodb-flush-log-at-trx-commit=1");
        words.addAll(ownServingOptions());
        options.settings()
                .forEach((setting, value) -> words.add("--" + setting + (value.isEmpty() ? "" : "=" + value)));
        return command(directory, words);
    }

    private static Path accountFile(ServerDirectory directory) {
        try {
            return Files.writeString(directory.root().resolve("account.sql"), CREATE_ACCOUNT);
        } catch (IOException e) {
            throw new UncheckedIOException("The statements that create the account cannot be written", e);
        }
    }

    @Override
    public String version() {
        return String.valueOf(home().getFileName());
    }

    @Override
    public DatabaseKind kind() {
        return kind;
    }

    @Override
    public String stopSignal() {
        return "TERM";
    }

    @Override
    public String abandonSignal() {
        return "KILL";
    }

    @Override
    public Path lockFile(ServerDirectory directory) {
        return directory.data().resolve("server.pid");
    }

    @Override
    public String dataDirectoryQuery() {
        return "SELECT @@datadir";
    }

    @Override
    public String username() {
        return ACCOUNT;
    }

    @Override
    public String password() {
        return ACCOUNT;
    }
}
