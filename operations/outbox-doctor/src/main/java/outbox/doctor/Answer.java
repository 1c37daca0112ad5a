package outbox.doctor;

import java.util.Objects;

/**
 * The answer to a {@link Question}.
 *
 * @param evidence what was seen that makes it so; for UNKNOWN, what would have to be seen
 */
public record Answer(Question question, Verdict verdict, String evidence) {
    public Answer {
        Objects.requireNonNull(question, "question");
        Objects.requireNonNull(verdict, "verdict");
        Objects.requireNonNull(evidence, "evidence");
    }

    /** Unknown is an answer: better than a guess. */
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
