-- The offset of a relay in the database's log, as stored by Debezium.
CREATE TABLE outbox_cdc_offset (
  relay VARCHAR(48) NOT NULL,
  offset_key VARCHAR(255) NOT NULL,
  offset_value TEXT NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (relay, offset_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The schema history of the outbox table, which Debezium needs to read rows.
CREATE TABLE outbox_cdc_history (
  relay VARCHAR(48) NOT NULL,
  position INT NOT NULL,
  entry MEDIUMTEXT NOT NULL,
  PRIMARY KEY (relay, position)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Dead letters, including rows that could not be read, if JdbcDeadLetters is used. The columns up to created_at are
-- those of the row.
CREATE TABLE outbox_cdc_dead (
  event_id VARCHAR(36) PRIMARY KEY,
  event_type VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id VARCHAR(128),
  tenant_id VARCHAR(64),
  payload LONGTEXT NOT NULL,
  headers LONGTEXT,
  created_at DATETIME(6) NOT NULL,
  relay VARCHAR(48) NOT NULL,
  attempts INT NOT NULL,
  last_error TEXT NOT NULL,
  dead_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
