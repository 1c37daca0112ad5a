-- The offset of a relay in the database's log, as stored by Debezium.
CREATE TABLE outbox_cdc_offset (
  relay VARCHAR(48) COLLATE "C" NOT NULL,
  offset_key VARCHAR(255) COLLATE "C" NOT NULL,
  offset_value TEXT NOT NULL,
  updated_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (relay, offset_key)
);

-- Dead letters, including rows that could not be read, if JdbcDeadLetters is used. The columns up to created_at are
-- those of the row.
CREATE TABLE outbox_cdc_dead (
  event_id VARCHAR(36) COLLATE "C" PRIMARY KEY,
  event_type VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id VARCHAR(128),
  tenant_id VARCHAR(64),
  payload TEXT NOT NULL,
  headers TEXT,
  created_at TIMESTAMPTZ NOT NULL,
  relay VARCHAR(48) NOT NULL,
  attempts INT NOT NULL,
  last_error TEXT NOT NULL,
  dead_at TIMESTAMPTZ NOT NULL
);
