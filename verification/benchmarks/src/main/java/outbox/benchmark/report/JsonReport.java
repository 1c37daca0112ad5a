package outbox.benchmark.report;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import outbox.benchmark.Machine;
import outbox.benchmark.Result;
import outbox.benchmark.Run;
import outbox.benchmark.Summary;
import outbox.benchmark.Target;

/** A run for other programs: every round of every metric. Stateless. */
public final class JsonReport {
    private JsonReport() {}

    public static String of(Run run) {
        Machine machine = run.machine();
        return "{\n"
                + "  \"startedAt\": " + text(run.startedAt().toString()) + ",\n"
                + "  \"command\": " + text(run.command()) + ",\n"
                + "  \"machine\": {\"cores\": " + machine.cores() + ", \"cpu\": " + text(machine.cpu())
                + ", \"memoryMegabytes\": " + machine.memoryMegabytes() + ", \"system\": " + text(machine.system())
                + ", \"jdk\": " + text(machine.jdk()) + ", \"heap\": " + text(machine.heap()) + "},\n"
                + "  \"database\": {\"kind\": " + text(run.kind().id()) + ", \"version\": "
                + text(run.serverVersion()) + ", \"settings\": " + object(run.serverSettings()) + "},\n"
                + "  \"contenders\": " + object(run.peers()) + ",\n"
                + "  \"rounds\": " + run.rounds() + ",\n"
                + "  \"results\": ["
                + run.results().stream().map(JsonReport::result).collect(Collectors.joining(","))
                + "\n  ],\n"
                + "  \"targets\": ["
                + run.verdicts().stream().map(JsonReport::verdict).collect(Collectors.joining(","))
                + "\n  ]\n}\n";
    }

    private static String result(Result result) {
        String reason = result.notAvailable();
        String metrics = result.metrics().stream()
                .map(metric -> {
                    Summary summary = result.summary(metric);
                    return text(metric) + ": {\"unit\": "
                            + text(result.unit(metric).symbol()) + ", \"median\": " + number(summary.median())
                            + ", \"min\": " + number(summary.min()) + ", \"max\": " + number(summary.max())
                            + ", \"rounds\": "
                            + result.rounds(metric).stream()
                                    .map(JsonReport::number)
                                    .collect(Collectors.joining(", ", "[", "]"))
                            + "}";
                })
                .collect(Collectors.joining(", ", "{", "}"));
        return "\n    {\"id\": " + text(result.id()) + ", \"title\": " + text(result.title()) + ", \"notAvailable\": "
                + (reason == null ? "null" : text(reason)) + ", \"metrics\": " + metrics + "}";
    }

    private static String verdict(Target.Verdict verdict) {
        return "\n    {\"what\": " + text(verdict.what()) + ", \"target\": " + text(verdict.bound()) + ", \"median\": "
                + number(verdict.found().median()) + ", \"min\": "
                + number(verdict.found().min()) + ", \"max\": "
                + number(verdict.found().max()) + ", \"reached\": " + verdict.reached() + "}";
    }

    private static String object(Map<String, String> map) {
        return map.entrySet().stream()
                .map(entry -> text(entry.getKey()) + ": " + text(entry.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.6g", value);
    }

    static String text(String value) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                default -> {
                    if (c < ' ') {
                        json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        return json.append('"').toString();
    }
}
