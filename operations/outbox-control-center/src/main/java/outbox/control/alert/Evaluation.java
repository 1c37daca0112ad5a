package outbox.control.alert;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares readings with rules, and starts and ends alerts. Used by one thread. */
final class Evaluation {
    private final AlertStore store;
    private final Readings readings;
    /** Since when a condition has held that has not lasted long enough for an alert. */
    private final Map<Key, Instant> wrongSince = new HashMap<>();

    private record Key(String rule, String application, String subject) {}

    Evaluation(AlertStore store, Readings readings) {
        this.store = store;
        this.readings = readings;
    }

    void run(List<AlertRule> rules, Collection<String> applications, Instant now) throws SQLException {
        Map<Key, Alert> firing = new HashMap<>();
        for (Alert alert : store.firing()) {
            firing.put(new Key(alert.ruleId(), alert.application(), alert.subject()), alert);
        }
        Set<Key> kept = new HashSet<>();
        for (AlertRule rule : rules) {
            for (String application : applications) {
                if (rule.enabled() && rule.concerns(application)) {
                    look(rule, application, now, firing, kept);
                }
            }
        }
        wrongSince.keySet().retainAll(kept);
        for (Map.Entry<Key, Alert> entry : firing.entrySet()) {
            if (!kept.contains(entry.getKey())) {
                boolean ruleIsGone = rules.stream()
                        .noneMatch(rule -> rule.id().equals(entry.getKey().rule()) && rule.enabled());
                if (ruleIsGone) {
                    store.forget(entry.getValue());
                } else {
                    store.end(entry.getValue(), now);
                }
            }
        }
    }

    /** Adds to {@code kept} the conditions that hold, and those that could not be read. */
    private void look(AlertRule rule, String application, Instant now, Map<Key, Alert> firing, Set<Key> kept)
            throws SQLException {
        List<Reading> all = readings.of(application, rule.metric());
        if (all == null) {
            for (Key key : firing.keySet()) {
                if (key.rule().equals(rule.id()) && key.application().equals(application)) {
                    kept.add(key);
                }
            }
            return;
        }
        for (Reading reading : all) {
            if (reading.value() < rule.threshold()) {
                continue;
            }
            Key key = new Key(rule.id(), application, reading.subject());
            kept.add(key);
            Alert present = firing.get(key);
            if (present != null) {
                store.reading(present, reading.value());
                continue;
            }
            Instant since = wrongSince.computeIfAbsent(key, unknown -> now);
            if (Duration.between(since, now).toSeconds() >= rule.forSeconds()) {
                store.begin(rule, application, reading, since);
            }
        }
    }
}
