package outbox.migration;

// snippet: service
public class Mailer {
    private final Effects effects;

    public Mailer(Effects effects) {
        this.effects = effects;
    }

    public void confirm(String orderId, String item) {
        effects.add("mail " + orderId + " " + item);
    }
}
// end
