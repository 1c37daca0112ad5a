package outbox.jdbc.engine;

class H2HostileEventsIT extends HostileEventsContract {
    H2HostileEventsIT() {
        super(new H2RefusedOutcomeIT());
    }
}
