package outbox.doctor;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import outbox.NoActiveTransactionException;
import outbox.Outbox;
import outbox.OutboxSettings;

/** Answers the five questions from what the database and the running outbox show. */
final class Answers {
    private static final int SAMPLE = 1000;
    private static final String FAILED = """
            SELECT COUNT(*), MAX(attempts) FROM (
              SELECT attempts FROM {table} WHERE status = ? AND attempts > 0 LIMIT 1000) failed
            """;
    private static final String UNRECORDED = """
            SELECT COUNT(*) FROM (SELECT event_id FROM {table} WHERE status = ? AND attempts > 0 LIMIT 1000) failed
            WHERE NOT EXISTS (SELECT 1 FROM outbox_attempt WHERE outbox_attempt.event_id = failed.event_id)
            """;
    private static final String DEAD =
            "SELECT COUNT(*) FROM (SELECT 1 AS one FROM {table} WHERE status = {dead} LIMIT 1000) dead";
    /** Nodes send heartbeats every few seconds; a node that was silent for longer has stopped. */
    private static final Duration ALIVE = Duration.ofMinutes(1);

    private static final String OWNERS = """
            SELECT DISTINCT locked_by FROM (SELECT locked_by FROM {table} WHERE status IN ({pending}) LIMIT 10000) pending
            WHERE locked_by IS NOT NULL
            """;
    private static final String CONSUMERS = """
            SELECT handler, COUNT(*) FROM (SELECT handler FROM {consumption} LIMIT 1000) consumed
            GROUP BY handler ORDER BY handler
            """;

    private static final String RECEIVED = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM {inbox} LIMIT 1000) received";

    private final Examination examination;

    Answers(Examination examination) {
        this.examination = examination;
    }

    private interface Look {
        Answer look() throws SQLException;
    }

    List<Answer> all() {
        return List.of(
                answer(Question.SAME_TRANSACTION, this::sameTransaction),
                answer(Question.LIMITED_RETRY, this::limitedRetry),
                answer(Question.AUDIT, this::audit),
                answer(Question.SCALE_OUT, this::scaleOut),
                answer(Question.DEDUPLICATION, this::deduplication));
    }

    private Answer answer(Question question, Look look) {
        Answer observed = examination.doctor().observed.get(question);
        if (observed != null) {
            return observed;
        }
        try {
            return look.look();
        } catch (SQLException e) {
            return Answer.unknown(question, "the query failed: " + e.getMessage());
        }
    }

    private Answer sameTransaction() throws SQLException {
        Question question = Question.SAME_TRANSACTION;
        Catalog.Evidence table = examination.catalog().transactional(examination.ask(), examination.tableName());
        if (!table.holds()) {
            return Answer.no(question, table.words());
        }
        if (examination.doctor().writeProbe != null) {
            return examination.doctor().writeProbe.answer(examination);
        }
        Outbox outbox = examination.doctor().outbox;
        if (outbox == null || !outbox.settings().writes()) {
            return Answer.unknown(
                    question,
                    table.words() + "; the transaction of writes can only be checked in the process that"
                            + " writes them");
        }
        try {
            outbox.writer().writeAll(List.of()); // fails without a transaction, and writes nothing with one
        } catch (NoActiveTransactionException refused) {
            return Answer.yes(
                    question,
                    "the writer rejected a call outside of a transaction; inside it uses the transaction's own"
                            + " connection, and " + table.words());
        }
        return Answer.unknown(
                question, "a transaction is open around this check, so the writer had no reason to reject the call");
    }

    private Answer limitedRetry() throws SQLException {
        Question question = Question.LIMITED_RETRY;
        record Failed(long count, int attempts) {}
        List<Failed> failed = new ArrayList<>();
        for (int status : new int[] {2, 3}) {
            failed.addAll(examination.ask().list(FAILED, row -> new Failed(row.getLong(1), row.getInt(2)), status));
        }
        Failed waiting = failed.get(0);
        Failed dead = failed.get(1);
        int most = Math.max(waiting.attempts(), dead.attempts());
        if (waiting.attempts() >= examination.limits().attempts()) {
            return Answer.no(
                    question, "an event that is still retried has already had " + waiting.attempts() + " attempts");
        }
        String rows = capped(waiting.count()) + " events wait for a retry, " + capped(dead.count())
                + " are dead after their attempts; the highest number of attempts is " + most;
        Outbox outbox = examination.doctor().outbox;
        if (outbox != null && outbox.settings().form() != OutboxSettings.Form.WRITER_ONLY) {
            return Answer.yes(
                    question,
                    "the running outbox stops retrying after "
                            + outbox.settings().maxAttempts() + " attempts; " + rows);
        }
        return waiting.count() + dead.count() == 0
                ? Answer.unknown(question, "no event in the table has failed yet")
                : Answer.yes(question, rows);
    }

    private Answer audit() throws SQLException {
        Question question = Question.AUDIT;
        Outbox outbox = examination.doctor().outbox;
        boolean told = outbox != null && outbox.settings().recordsFailures();
        if (!examination.hasTable("outbox_attempt")) {
            return told
                    ? Answer.yes(question, "the running outbox notifies a failure listener of every failed delivery")
                    : Answer.no(
                            question,
                            "there is no table outbox_attempt, so only the last error of a failed delivery is stored; record"
                                    + " them with the AttemptRecorder of outbox-control-center");
        }
        long failed = 0;
        long unrecorded = 0;
        for (int status : new int[] {2, 3}) {
            failed += examination
                    .ask()
                    .list(FAILED, row -> row.getLong(1), status)
                    .get(0);
            unrecorded += examination.ask().number(UNRECORDED, status);
        }
        if (unrecorded > 0) {
            return Answer.no(
                    question,
                    "of " + capped(failed) + " events that failed, " + unrecorded
                            + " have no record in outbox_attempt: not every node records attempts");
        }
        long dead = failed == 0 ? examination.ask().number(DEAD) : 0;
        String nothing = dead == 0
                ? "no event in the table has failed"
                : (dead == 1 ? "1 event is" : capped(dead) + " events are") + " DEAD without a failed attempt";
        if (failed == 0 && !told) {
            return Answer.unknown(question, "the table outbox_attempt exists, and " + nothing);
        }
        return Answer.yes(
                question,
                failed == 0
                        ? "the running outbox records failures, and " + nothing
                        : "all of " + capped(failed) + " events that failed have records in outbox_attempt");
    }

    private Answer scaleOut() throws SQLException {
        Question question = Question.SCALE_OUT;
        if (examination.table().column("locked_by") == null
                || examination.table().column("locked_at") == null) {
            return Answer.no(question, "the table has no columns for leases");
        }
        List<String> owners = examination.ask().list(OWNERS, row -> row.getString(1));
        List<String> nodes = examination.hasTable("outbox_node")
                ? examination
                        .ask()
                        .list(
                                "SELECT node FROM outbox_node WHERE seen_at > ?",
                                row -> row.getString(1),
                                examination.now().minus(ALIVE))
                : List.of();
        List<String> seen = Stream.concat(owners.stream(), nodes.stream())
                .distinct()
                .sorted()
                .toList();
        String evidence = seen.isEmpty()
                ? "no row is leased at the moment"
                : "leases and heartbeats of " + seen.size() + " node" + (seen.size() == 1 ? "" : "s") + ": "
                        + seen.stream().limit(5).collect(Collectors.joining(", "));
        Outbox outbox = examination.doctor().outbox;
        if (outbox != null && outbox.settings().form() == OutboxSettings.Form.SINGLE_NODE) {
            return Answer.no(
                    question,
                    "the running outbox is a singleNode outbox: a second process would reclaim its leases at once; use"
                            + " multiNode. " + evidence);
        }
        if (outbox != null && outbox.settings().form() == OutboxSettings.Form.MULTI_NODE) {
            return Answer.yes(
                    question,
                    "the running outbox leases rows for "
                            + Examination.text(outbox.settings().leaseTime()) + "; " + evidence);
        }
        return seen.isEmpty() ? Answer.unknown(question, evidence) : Answer.yes(question, evidence);
    }

    private Answer deduplication() throws SQLException {
        Question question = Question.DEDUPLICATION;
        String others = "; consumers in other systems are not visible from here";
        String inbox = inboxEvidence();
        String handlers = handlerEvidence();
        if (inbox.isEmpty() && handlers.isEmpty()) {
            String table = examination.doctor().consumptionTable;
            return Answer.unknown(
                    question,
                    (examination.hasTable(table)
                                    ? "the table " + table + " exists, and no handler has used it yet"
                                    : "there is no table " + table)
                            + others);
        }
        return Answer.yes(question, inbox + (inbox.isEmpty() || handlers.isEmpty() ? "" : "; ") + handlers + others);
    }

    /** Empty if there is no inbox, or nothing was received yet. */
    private String inboxEvidence() throws SQLException {
        String table = examination.doctor().inboxTable;
        if (!examination.hasTable(table)) {
            return "";
        }
        long messages = examination
                .ask()
                .list(RECEIVED.replace("{inbox}", table), row -> row.getLong(1))
                .get(0);
        return messages == 0
                ? ""
                : "the inbox in " + table + " knows " + capped(messages)
                        + " received messages by their ids and handles none of them twice";
    }

    /** Empty if no handler has recorded anything. */
    private String handlerEvidence() throws SQLException {
        String table = examination.doctor().consumptionTable;
        if (!examination.hasTable(table)) {
            return "";
        }
        record Consumer(String handler, long events) {}
        List<Consumer> consumers = examination
                .ask()
                .list(CONSUMERS.replace("{consumption}", table), row -> new Consumer(row.getString(1), row.getLong(2)));
        return consumers.isEmpty()
                ? ""
                : "handlers record processed events in " + table + ": "
                        + consumers.stream()
                                .limit(5)
                                .map(consumer -> consumer.handler() + " " + capped(consumer.events()))
                                .collect(Collectors.joining(", "));
    }

    private static String capped(long count) {
        return Examination.capped(count, SAMPLE);
    }
}
