-- Which handler consumed which event, and how far the others are. Times are UTC.
-- state: 1 done, 2 retry, 3 dead, as in outbox_event.
-- utf8mb4_bin: ids and names are compared exactly.
CREATE TABLE outbox_consumption (
  event_id VARCHAR(128) NOT NULL,
  handler VARCHAR(128) NOT NULL,
  state TINYINT NOT NULL,
  attempts INT NOT NULL,
  next_attempt_at DATETIME(6) NOT NULL,
  last_error VARCHAR(4000),
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (event_id, handler)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What the look for open handlers at the start and the purge read.
CREATE INDEX outbox_consumption_state ON outbox_consumption (state, updated_at);

-- One row per idempotency key. status: 0 in progress, 1 succeeded, 2 failed. Times are UTC.
-- utf8mb4_bin: keys are compared exactly.
CREATE TABLE outbox_idempotency (
  tenant_id VARCHAR(64) NOT NULL,
  scope VARCHAR(64) NOT NULL,
  idempotency_key VARCHAR(128) NOT NULL,
  request_hash CHAR(64) NOT NULL,
  status TINYINT NOT NULL,
  attempts INT NOT NULL,
  internal_id BINARY(16) NOT NULL,
  public_id VARCHAR(64) NOT NULL,
  result_json MEDIUMTEXT,
  last_error VARCHAR(4000),
  owner VARCHAR(26) NOT NULL,
  locked_until DATETIME(6) NOT NULL,
  expires_at DATETIME(6) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (tenant_id, scope, idempotency_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What the purge reads.
CREATE INDEX outbox_idempotency_expiry ON outbox_idempotency (expires_at);
