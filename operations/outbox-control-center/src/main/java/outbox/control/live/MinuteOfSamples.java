package outbox.control.live;

import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.control.source.NodeReader.Node;

/** Collects the samples of the current minute and stores them when the next minute begins. Not thread-safe. */
final class MinuteOfSamples {
    private final History history;
    private final String application;
    private final List<Sample> samples = new ArrayList<>();
    private @Nullable Instant minute;
    private @Nullable Instant last;
    private int nodeStarts;

    MinuteOfSamples(History history, String application) {
        this.history = history;
        this.application = application;
    }

    void add(Sample sample, List<Node> nodes) throws SQLException {
        Instant now = sample.at().truncatedTo(ChronoUnit.MINUTES);
        Instant before = minute;
        HistoryPoint complete =
                before != null && now.isAfter(before) ? HistoryPoint.ofMinute(before, samples, nodeStarts) : null;
        if (before == null || complete != null) {
            minute = now;
            samples.clear();
            nodeStarts = 0;
        }
        samples.add(sample);
        nodeStarts += started(nodes);
        last = sample.at();
        if (complete != null) { // last: without its database a control center loses history, not memory
            history.add(application, complete);
        }
    }

    /** Nodes that started since the last sample. */
    private int started(List<Node> nodes) {
        Instant since = last;
        return since == null
                ? 0
                : (int) nodes.stream()
                        .filter(node -> node.startedAt().isAfter(since))
                        .count();
    }
}
