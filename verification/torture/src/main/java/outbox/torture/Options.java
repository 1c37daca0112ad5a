package outbox.torture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import outbox.torture.Cases.Group;

/**
 * What the command was asked for.
 *
 * @param group which cases, if none are named, and where their table goes
 * @param quick the version of about a minute
 * @param patience by what the promised times are multiplied, for machines that do other things at the same time
 * @param directory where logs and ledgers go
 */
record Options(
        List<String> databases,
        List<TortureCase> cases,
        Group group,
        boolean quick,
        double patience,
        boolean updateDocs,
        Path directory) {

    private static final List<String> DATABASES = List.of("postgresql", "mysql", "mariadb");
    private static final String USAGE = """
            ./torture [--db postgresql,mysql,mariadb] [--cases a,b] [--failover|--upgrade|--scale-out|--power] [--quick] [--patience 2] [--update-docs]
              --db           one or more of %s; default postgresql
              --cases        only these: %s
              --failover     the cases of a database that fails over or freezes: %s;
                             on PostgreSQL and MariaDB
              --upgrade      nodes of the version before and of today on one table: %s
              --scale-out    many small nodes, and restarts one by one: %s
              --power        power failures of the database server: %s; needs a C compiler
              --quick        a selection, scaled down to about a minute
              --patience     multiplies the promised recovery times, for a machine that is not alone; default 1
              --update-docs  writes the table into docs/reliability.md
            """;

    static Options parse(String[] arguments) {
        List<String> databases = List.of("postgresql");
        List<String> names = List.of();
        Group group = Group.SINGLE;
        boolean quick = false;
        boolean updateDocs = false;
        double patience = 1;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--db" -> databases = list(arguments, ++i);
                case "--cases" -> names = list(arguments, ++i);
                case "--patience" ->
                    patience = Double.parseDouble(list(arguments, ++i).get(0));
                case "--failover" -> group = Group.FAILOVER;
                case "--upgrade" -> group = Group.UPGRADE;
                case "--scale-out" -> group = Group.SCALE_OUT;
                case "--power" -> group = Group.POWER;
                case "--quick" -> quick = true;
                case "--update-docs" -> updateDocs = true;
                default -> throw usage();
            }
        }
        if (!DATABASES.containsAll(databases) || (group == Group.FAILOVER && databases.contains("mysql"))) {
            throw usage();
        }
        Path directory = Path.of("verification", "torture", "target", "runs");
        return new Options(databases, choose(names, group, quick), group, quick, patience, updateDocs, directory);
    }

    Options in(Path otherDirectory) {
        return new Options(databases, cases, group, quick, patience, updateDocs, otherDirectory);
    }

    private static List<String> list(String[] arguments, int at) {
        if (at >= arguments.length) {
            throw usage();
        }
        return Arrays.asList(arguments[at].split(",", -1));
    }

    private static List<TortureCase> choose(List<String> names, Group group, boolean quick) {
        if (names.isEmpty()) {
            return group.cases().stream()
                    .filter(torture -> !quick || torture.isQuick())
                    .toList();
        }
        List<TortureCase> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(Cases.named(name).orElseThrow(Options::usage));
        }
        return chosen;
    }

    private static IllegalArgumentException usage() {
        return new IllegalArgumentException(USAGE.formatted(
                String.join(", ", DATABASES),
                names(Cases.ALL),
                names(Cases.FAILOVER),
                names(Cases.UPGRADE),
                names(Cases.SCALE_OUT),
                names(Cases.POWER)));
    }

    private static String names(List<TortureCase> cases) {
        return cases.stream().map(TortureCase::name).collect(Collectors.joining(", "));
    }
}
