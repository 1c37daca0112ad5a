package outbox.benchmark.report;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import outbox.benchmark.Figures;
import outbox.benchmark.Measurement;
import outbox.benchmark.Result;
import outbox.benchmark.Run;
import outbox.benchmark.Summary;
import outbox.benchmark.Unit;

/** Bars of all rates, each group on a scale of its own, with the spread of the rounds as a line. Stateless. */
public final class SvgChart {
    private static final int WIDTH = 860;
    private static final int LABELS = 190;
    private static final int FIGURES = 150;
    private static final int BAR = 20;
    private static final int STEP = 28;
    private static final int TITLE = 38;
    private static final Set<String> OWN =
            Set.of("outbox", "outboxdelete", "ordered", "foreign", "free", "encrypted", "publisher");

    private SvgChart() {}

    private record Group(String title, List<Result> bars) {}

    public static String of(Run run) {
        List<Group> groups = groups(run);
        int height = 20;
        for (Group group : groups) {
            height += TITLE + group.bars.size() * STEP;
        }
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="13" role="img">
                <title>Throughput on %s %s, events a second</title>
                <rect width="%d" height="%d" fill="#ffffff"/>
                """, WIDTH, height, run.kind().id(), escape(run.serverVersion()), WIDTH, height));
        int y = 10;
        for (Group group : groups) {
            y = draw(svg, group, y);
        }
        return svg.append("</svg>\n").toString();
    }

    private static List<Group> groups(Run run) {
        List<Result> rates = run.results().stream()
                .filter(result -> !result.rounds(Measurement.RATE).isEmpty()
                        && result.unit(Measurement.RATE) == Unit.EVENTS_PER_SECOND)
                .toList();
        return List.of(
                        group("Hot: written, delivered, settled (events/s)", rates, "-hot"),
                        group("Cold: drained from the table (events/s)", rates, "cold"),
                        group("Bulk: written, 1000 a transaction (events/s)", rates, "-bulk"),
                        group("Kafka: sent and acknowledged (events/s)", rates, "-kafka"),
                        group("RabbitMQ: sent and confirmed (events/s)", rates, "-rabbitmq"),
                        group("Webhooks: posted and answered after 20 ms (events/s)", rates, "-webhook"))
                .stream()
                .filter(group -> !group.bars.isEmpty())
                .toList();
    }

    private static Group group(String title, List<Result> rates, String part) {
        return new Group(
                title,
                rates.stream().filter(result -> result.id().contains(part)).toList());
    }

    private static int draw(StringBuilder svg, Group group, int top) {
        double longest = group.bars.stream()
                .mapToDouble(result -> result.summary(Measurement.RATE).max())
                .max()
                .orElse(1);
        int y = top + 20;
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"10\" y=\"%d\" font-weight=\"600\" fill=\"#1f2937\">%s</text>%n",
                y,
                escape(group.title)));
        y += TITLE - 20;
        double room = WIDTH - LABELS - FIGURES;
        for (Result result : group.bars) {
            Summary summary = result.summary(Measurement.RATE);
            double length = summary.median() / longest * room;
            svg.append(String.format(
                    Locale.ROOT,
                    """
                    <text x="%d" y="%d" text-anchor="end" fill="#374151">%s</text>
                    <rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>
                    <line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#111827" stroke-width="1.5"/>
                    <text x="%.1f" y="%d" fill="#111827">%s</text>
                    """,
                    LABELS - 8,
                    y + 15,
                    escape(result.id()),
                    LABELS,
                    y,
                    length,
                    BAR,
                    color(result.id()),
                    LABELS + summary.min() / longest * room,
                    LABELS + summary.max() / longest * room,
                    y + BAR / 2,
                    y + BAR / 2,
                    LABELS + summary.max() / longest * room + 8,
                    y + 15,
                    Figures.of(summary.median())));
            y += STEP;
        }
        return y;
    }

    private static String color(String id) {
        if (id.startsWith("raw")) {
            return "#9ca3af";
        }
        return OWN.contains(id.split("-", 2)[0]) ? "#2563eb" : "#d97706";
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
