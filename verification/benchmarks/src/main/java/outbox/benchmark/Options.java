package outbox.benchmark;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The command line of {@code ./benchmark}.
 *
 * @param group what to measure
 * @param scenarios ids or parts of them; empty for all
 * @param own without the peers
 * @param limit how long the rounds may take; a round that would end later is not begun
 * @param docs the page to update, or {@code null}
 */
record Options(
        BenchServer.Kind kind,
        Group group,
        List<String> scenarios,
        boolean own,
        int rounds,
        Duration limit,
        Scale scale,
        Path out,
        @Nullable Path docs,
        boolean list) {

    static final int DEFAULT_ROUNDS = 5;

    /** Scenarios that are measured together. */
    enum Group {
        ENGINE,
        PUBLISHERS,
        HANDLERS;

        List<Scenario> scenarios() {
            return switch (this) {
                case ENGINE -> Catalog.scenarios();
                case PUBLISHERS -> Catalog.publishers();
                case HANDLERS -> Catalog.handlers();
            };
        }
    }

    static final String USAGE = """
            ./benchmark [options]            interleaved run of all scenarios
              --db postgresql|mysql|mariadb  which server to start (postgresql)
              --scenarios a,b,...            only those whose id is or contains one of these words (all)
              --own                          this project and raw JDBC alone, without the peers
              --minutes n                    begins no round that would end later than that (no limit)
              --rounds n                     counted rounds, after one that does not count (5)
              --quick                        smaller rounds, for a first look
              --smoke                        tiny rounds: does everything work with this server?
              --hold seconds                 how long the foreign transaction stays open (60)
              --out directory                where JSON, Markdown and SVG go (verification/benchmarks/target/benchmark)
              --update-docs                  also rewrite the section of this database in docs/benchmarks.md
              --list                         list the scenarios and end
            ./benchmark publishers [options] Kafka, RabbitMQ and webhooks beside code by hand; what encryption costs
            ./benchmark handlers [options]   typed handlers beside one plain listener
            ./benchmark micro [JMH options]  JMH: hand-off queue, ULID, codec
            ./benchmark queues [rounds]      candidates for the hand-off queue on the whole hot path, PostgreSQL
            ./benchmark memory               200 000 events of 1 KB through a heap of 64 MB
            ./benchmark large-payload        200 MB in one event through a heap of 64 MB
            """;

    static Options parse(List<String> words) {
        BenchServer.Kind kind = BenchServer.Kind.POSTGRESQL;
        Group group = Group.ENGINE;
        List<String> scenarios = List.of();
        boolean own = false;
        int rounds = DEFAULT_ROUNDS;
        Duration limit = Duration.ofDays(1);
        Scale scale = Scale.full();
        Duration hold = null;
        Path out = Path.of("verification", "benchmarks", "target", "benchmark");
        Path docs = null;
        boolean list = false;
        java.util.Iterator<String> rest = words.iterator();
        while (rest.hasNext()) {
            String word = rest.next();
            switch (word) {
                case "publishers" -> group = Group.PUBLISHERS;
                case "handlers" -> group = Group.HANDLERS;
                case "--db" -> kind = BenchServer.Kind.of(value(word, rest));
                case "--scenarios" -> scenarios = List.of(value(word, rest).split(",", -1));
                case "--own" -> own = true;
                case "--minutes" -> limit = Duration.ofMinutes(Long.parseLong(value(word, rest)));
                case "--rounds" -> rounds = Integer.parseInt(value(word, rest));
                case "--quick" -> scale = Scale.quick();
                case "--smoke" -> scale = Scale.smoke();
                case "--hold" -> hold = Duration.ofSeconds(Long.parseLong(value(word, rest)));
                case "--out" -> out = Path.of(value(word, rest));
                case "--update-docs" -> docs = Path.of("docs", "benchmarks.md");
                case "--list" -> list = true;
                default -> throw new IllegalArgumentException("unknown option " + word + "\n\n" + USAGE);
            }
        }
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds must be at least 1, not " + rounds);
        }
        return new Options(
                kind,
                group,
                scenarios,
                own,
                rounds,
                limit,
                hold == null ? scale : scale.withHold(hold),
                out,
                docs,
                list);
    }

    private static String value(String option, java.util.Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value\n\n" + USAGE);
        }
        return rest.next();
    }

    /** What result files and the section of the page are named after. */
    String name() {
        return switch (group) {
            case ENGINE -> kind.id();
            case PUBLISHERS -> "publishers";
            case HANDLERS -> kind == BenchServer.Kind.POSTGRESQL ? "handlers" : "handlers-" + kind.id();
        };
    }

    /** Whether a scenario was asked for. */
    boolean wants(String id) {
        return scenarios.isEmpty() || scenarios.stream().anyMatch(id::contains);
    }
}
