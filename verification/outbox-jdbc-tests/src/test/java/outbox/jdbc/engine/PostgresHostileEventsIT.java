package outbox.jdbc.engine;

class PostgresHostileEventsIT extends HostileEventsContract {
    PostgresHostileEventsIT() {
        super(new PostgresRefusedOutcomeIT());
    }
}
