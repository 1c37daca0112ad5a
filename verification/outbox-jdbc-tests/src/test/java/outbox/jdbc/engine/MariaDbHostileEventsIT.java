package outbox.jdbc.engine;

class MariaDbHostileEventsIT extends HostileEventsContract {
    MariaDbHostileEventsIT() {
        super(new MariaDbRefusedOutcomeIT());
    }
}
