package outbox.jdbc.store;

import outbox.testing.server.EmbeddedMariaDb;

class MariaDbRulesIT extends InnoDbRules {
    MariaDbRulesIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }
}
