package outbox.jdbc.engine;

class MySqlHostileEventsIT extends HostileEventsContract {
    MySqlHostileEventsIT() {
        super(new MySqlRefusedOutcomeIT());
    }
}
