package outbox.doctor;

/** What everybody who runs an outbox should be able to answer with yes. */
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
