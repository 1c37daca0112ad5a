package outbox.contracts;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds changes that break readers which were written for an old contract and receive events of a new one. Readers are
 * assumed to ignore unknown properties, unless the old contract forbids them.
 */
public final class ContractCompatibility {
    private ContractCompatibility() {}

    /**
     * Compares each version of each type with all previous ones, back to the last accepted breaking change. A change is
     * reported once, for the nearest version.
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
                    if (!versions.get(j).schema().accepted().isEmpty()) {
                        break;
                    }
                }
            }
        }
        return changes;
    }

    /**
     * Compares released contracts with new ones, version by version: a released contract must neither be removed nor
     * changed incompatibly.
     */
    public static List<BreakingChange> betweenReleases(EventContracts released, EventContracts next) {
        List<BreakingChange> changes = new ArrayList<>();
        for (EventContract old : released.all()) {
            EventContract now = next.find(old.eventType(), old.version());
            if (now == null) {
                changes.add(new BreakingChange(old.toString(), "-", "/", "the contract was removed", ""));
            } else {
                changes.addAll(between(old, now));
            }
        }
        return changes;
    }

    /** Differences that can break a reader of {@code old} with events of {@code now}. */
    public static List<BreakingChange> between(EventContract old, EventContract now) {
        List<BreakingChange> changes = new ArrayList<>();
        String accepted = old.version() != now.version() ? now.schema().accepted() : "";
        old.schema()
                .compare(
                        now.schema(),
                        (path, change) -> changes.add(
                                new BreakingChange(old.toString(), now.toString(), path, change, accepted)));
        return changes;
    }
}
