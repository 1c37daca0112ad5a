package outbox.doctor;

/** The questions whose answer should be yes for every outbox in production. */
public enum Question {
    SAME_TRANSACTION("Is the outbox written in the business transaction?"),
    LIMITED_RETRY("Are failures retried, with a limit?"),
    AUDIT("Are failed sends recorded?"),
    SCALE_OUT("Can consumers scale out?"),
    DEDUPLICATION("Do consumers deduplicate?");

    private final String text;

    Question(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
