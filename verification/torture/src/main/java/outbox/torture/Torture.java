package outbox.torture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

/** The command: runs the chosen cases on the chosen databases and prints one table for each. */
public final class Torture {
    private final Options options;
    private final Progress progress = new Progress();

    Torture(Options options) {
        this.options = options;
    }

    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        System.exit(new Torture(options).run() ? 0 : 1);
    }

    /** @return whether every case has passed on every database */
    boolean run() throws IOException {
        boolean passed = true;
        for (String name : options.databases()) {
            passed &= run(name);
        }
        return passed;
    }

    private boolean run(String name) throws IOException {
        long begun = System.nanoTime();
        List<CaseResult> results = new ArrayList<>();
        String title;
        try (EmbeddedServer server = start(name, ServerOptions.defaults())) {
            title = name + " " + server.version();
            System.out.println("== " + title + ", " + options.cases().size() + " cases");
            int count = 0;
            for (TortureCase torture : options.cases()) {
                progress.begin(
                        String.format("[%d/%d] %s", ++count, options.cases().size(), torture.what()));
                if (!server.isRunning()) {
                    server.start();
                }
                results.add(run(torture, server));
            }
        }
        String summary = summary(title, results, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
        String table = Report.table(results);
        System.out.println();
        System.out.println(table);
        System.out.println(summary);
        if (options.updateDocs()) {
            String place = options.group() == Cases.Group.SINGLE
                    ? name
                    : options.group().option() + " " + name;
            ReliabilityPage.update(Path.of("docs", "reliability.md"), place, table, summary);
        }
        return results.stream().allMatch(CaseResult::passed);
    }

    private static EmbeddedServer start(String name, ServerOptions options) {
        return switch (name) {
            case "postgresql" -> EmbeddedPostgres.start(options);
            case "mysql" -> EmbeddedMySql.start(options);
            case "mariadb" -> EmbeddedMariaDb.start(options);
            default -> throw new IllegalArgumentException("unknown database " + name);
        };
    }

    private CaseResult run(TortureCase torture, EmbeddedServer server) {
        long begun = System.nanoTime();
        Path directory = options.directory().resolve(server.name()).resolve(torture.name() + "-" + begun);
        CaseResult result;
        try {
            result = torture.losesPower()
                    ? runOnLossyDisk(torture, server.name(), directory)
                    : torture.replication() == Replication.NONE
                            ? run(
                                    torture,
                                    (keys, ordered) -> torture.beginsWithVersionBefore()
                                            ? Database.createBefore(server, keys, ordered)
                                            : Database.create(server, keys, ordered),
                                    directory)
                            : runOnPair(torture, server.name(), directory);
        } catch (Exception | Error e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            e.printStackTrace();
            result = CaseResult.broken(torture, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun), e);
        }
        progress.end((result.passed() ? "ok" : "FAILED")
                + String.format(
                        Locale.ROOT,
                        ": %d events, %d faults, %d lost, %d phantom, %d duplicates (%d allowed), recovery %d ms, %d s%s",
                        result.events(),
                        result.faults(),
                        result.lost(),
                        result.phantoms(),
                        result.duplicates(),
                        result.allowedDuplicates(),
                        result.recoveryMillis(),
                        result.seconds(),
                        result.unreplicated().isPossible() ? ", not replicated: " + result.unreplicated() : ""));
        result.complaints().forEach(complaint -> System.out.println("      " + complaint));
        if (!result.passed()) {
            System.out.println("      logs and ledgers: " + directory);
        }
        return result;
    }

    private CaseResult runOnLossyDisk(TortureCase torture, String name, Path directory) throws Exception {
        LossyDisk disk = LossyDisk.prepare(Path.of(""));
        boolean postgres = name.equals("postgresql");
        ServerOptions options = ServerOptions.defaults();
        if (!postgres) {
            options = options.with("innodb_use_native_aio", "0"); // a write by libaio is not seen
        }
        if (!torture.isDurable()) {
            options = postgres
                    ? options.with("synchronous_commit", "off")
                    : options.with("innodb_flush_log_at_trx_commit", "2");
        }
        try (EmbeddedServer server = start(name, disk.of(options))) {
            return run(torture, (keys, ordered) -> Database.create(server, disk, keys, ordered), directory);
        }
    }

    private CaseResult runOnPair(TortureCase torture, String database, Path directory) throws Exception {
        try (ReplicatedPair pair = ReplicatedPair.start(database, torture.replication())) {
            return run(torture, (keys, ordered) -> Database.create(pair, keys, ordered), directory);
        }
    }

    private CaseResult run(TortureCase torture, Arena.DatabaseOfCase database, Path directory) throws Exception {
        try (Arena arena = new Arena(torture, database, directory, options.quick(), options.patience(), progress)) {
            torture.run(arena);
            return arena.conclude();
        }
    }

    private static String summary(String title, List<CaseResult> results, long seconds) {
        long failed = results.stream().filter(result -> !result.passed()).count();
        return String.format(
                Locale.ROOT,
                "%s: %d of %d cases passed in %d min %02d s, %d events, %d faults.",
                title,
                results.size() - failed,
                results.size(),
                seconds / 60,
                seconds % 60,
                results.stream().mapToLong(CaseResult::events).sum(),
                results.stream().mapToInt(CaseResult::faults).sum());
    }
}
