package outbox.benchmark;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything one run found.
 *
 * @param command how it was started
 * @param peers names and versions of the contenders, with remarks
 */
public record Run(
        Instant startedAt,
        String command,
        Machine machine,
        BenchServer.Kind kind,
        String serverVersion,
        Map<String, String> serverSettings,
        int rounds,
        List<Result> results,
        Map<String, String> peers) {

    public Optional<Result> result(String scenario) {
        return results.stream().filter(result -> result.id().equals(scenario)).findFirst();
    }

    /** What the targets of the design say of these results; those that were not measured are left out. */
    public List<Target.Verdict> verdicts() {
        return Target.ALL.stream()
                .filter(target -> target.appliesTo(kind))
                .flatMap(target -> target.judge(this).stream())
                .toList();
    }
}
