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
