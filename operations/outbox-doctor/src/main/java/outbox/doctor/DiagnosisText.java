package outbox.doctor;

import java.util.Locale;

/** A diagnosis as human-readable text. */
final class DiagnosisText {
    private static final int WIDTH = 100;

    private final StringBuilder out = new StringBuilder();

    private DiagnosisText() {}

    static String of(Diagnosis diagnosis) {
        DiagnosisText text = new DiagnosisText();
        text.paragraph(
                "",
                "Table " + diagnosis.table() + " on " + diagnosis.database() + " " + diagnosis.version() + ", "
                        + diagnosis.examinedAt());
        if (!diagnosis.answers().isEmpty()) {
            text.line("");
            diagnosis.answers().forEach(text::answer);
        }
        text.line("");
        if (diagnosis.findings().isEmpty()) {
            text.line("No findings.");
        }
        diagnosis.findings().forEach(text::finding);
        if (!diagnosis.unseen().isEmpty()) {
            text.line("Not checked:");
            diagnosis.unseen().forEach(what -> text.paragraph("  ", what.what() + ": " + what.why()));
        }
        return text.out.toString();
    }

    private void answer(Answer answer) {
        line(String.format(
                "%-8s %s",
                answer.verdict().name().toLowerCase(Locale.ROOT),
                answer.question().text()));
        paragraph("         ", answer.evidence());
    }

    private void finding(Finding finding) {
        line(finding.severity().name() + "  " + finding.code());
        labelled("seen", finding.seen());
        labelled("why", finding.why());
        labelled("fix", finding.fix());
        if (finding.sql() != null) {
            finding.sql().lines().forEach(sql -> line("        " + sql));
        }
        labelled("more", finding.runbook());
        line("");
    }

    private void labelled(String label, String text) {
        int start = out.length();
        paragraph("        ", text);
        out.replace(start + 2, start + 2 + label.length(), label);
    }

    private void paragraph(String indent, String text) {
        StringBuilder line = new StringBuilder(indent);
        for (String word : text.split("\\s+", -1)) {
            if (line.length() > indent.length() && line.length() + 1 + word.length() > WIDTH) {
                line(line.toString());
                line.setLength(indent.length());
            }
            line.append(line.length() > indent.length() ? " " : "").append(word);
        }
        line(line.toString());
    }

    private void line(String text) {
        out.append(text.stripTrailing()).append('\n');
    }
}
