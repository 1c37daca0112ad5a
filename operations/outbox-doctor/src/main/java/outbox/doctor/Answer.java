package outbox.doctor;

import java.util.Objects;

/**
 * The answer to a {@link Question}.
 *
 * @param evidence the observations behind it; for UNKNOWN, what would be needed
 */
public record Answer(Question question, Verdict verdict, String evidence) {
    public Answer {
        Objects.requireNonNull(question, "question");
        Objects.requireNonNull(verdict, "verdict");
        Objects.requireNonNull(evidence, "evidence");
    }

    /** The doctor says UNKNOWN rather than guess. */
    public enum Verdict {
        YES,
        NO,
        UNKNOWN
    }

    static Answer yes(Question question, String evidence) {
        return new Answer(question, Verdict.YES, evidence);
    }

    static Answer no(Question question, String evidence) {
        return new Answer(question, Verdict.NO, evidence);
    }

    static Answer unknown(Question question, String evidence) {
        return new Answer(question, Verdict.UNKNOWN, evidence);
    }
}
