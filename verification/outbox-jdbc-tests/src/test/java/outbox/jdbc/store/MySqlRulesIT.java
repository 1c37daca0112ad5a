package outbox.jdbc.store;

import outbox.testing.server.EmbeddedMySql;

class MySqlRulesIT extends InnoDbRules {
    MySqlRulesIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }
}
