package outbox.contracts;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Finds changes that break readers: those who were written against an old contract and meet events of a new one. Readers
 * are taken to ignore properties they do not know, unless the old contract says that there are none.
 */
public final class ContractCompatibility {
    private ContractCompatibility() {}

    /**
     * Compares each version of each type with all before it, as far back as the last one that meant to break its readers:
     * those of older ones were given up then. A change is told once, from the nearest version that shows it.
     */
    public static List<BreakingChange> betweenVersions(EventContracts contracts) {
        List<BreakingChange> changes = new ArrayList<>();
        for (String type : contracts.eventTypes()) {
            List<EventContract> versions = contracts.versionsOf(type);
            Set<String> told = new HashSet<>();
            for (int i = 1; i < versions.size(); i++) {
                for (int j = i - 1; j >= 0; j--) {
                    boolean next = j == i - 1;
                    for (BreakingChange change : between(versions.get(j), versions.get(i))) {
                        if (told.add(change.path() + " " + change.change()) || next) {
                            changes.add(change);
                        }
                    }
                    if (versions.get(j).node().has(BreakingChange.ACCEPTED)) {
                        break;
                    }
                }
            }
        }
        return changes;
    }

    /**
     * Compares what was released with what is to be released, version by version: a contract that readers rely on must
     * neither go nor change under its number.
     */
    public static List<BreakingChange> betweenReleases(EventContracts released, EventContracts next) {
        List<BreakingChange> changes = new ArrayList<>();
        for (EventContract old : released.all()) {
            EventContract now = next.find(old.eventType(), old.version());
            if (now == null) {
                changes.add(new BreakingChange(old.toString(), "-", "/", "the contract is gone", ""));
            } else {
                changes.addAll(between(old, now));
            }
        }
        return changes;
    }

    /** What a reader of {@code old} may stumble over when events are of {@code now}. */
    public static List<BreakingChange> between(EventContract old, EventContract now) {
        List<BreakingChange> changes = new ArrayList<>();
        JsonNode reason = now.node().get(BreakingChange.ACCEPTED);
        String accepted =
                reason != null && reason.isString() && old.version() != now.version() ? reason.asString() : "";
        new SchemaDifference(
                        old.node(),
                        now.node(),
                        (path, change) ->
                                changes.add(new BreakingChange(old.toString(), now.toString(), path, change, accepted)))
                .run();
        return changes;
    }
}
