-- One row per idempotency key. status: 0 in progress, 1 succeeded, 2 failed.
CREATE TABLE outbox_idempotency (
  tenant_id VARCHAR(64) COLLATE "C" NOT NULL,
  scope VARCHAR(64) COLLATE "C" NOT NULL,
  idempotency_key VARCHAR(128) COLLATE "C" NOT NULL,
  request_hash CHAR(64) NOT NULL,
  status SMALLINT NOT NULL,
  attempts INT NOT NULL,
  internal_id BYTEA NOT NULL CHECK (octet_length(internal_id) = 16),
  public_id VARCHAR(64) NOT NULL,
  result_json TEXT,
  last_error VARCHAR(4000),
  owner VARCHAR(26) NOT NULL,
  locked_until TIMESTAMPTZ NOT NULL,
  expires_at TIMESTAMPTZ NOT NULL,
  created_at TIMESTAMPTZ NOT NULL,
  updated_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (tenant_id, scope, idempotency_key)
);

-- What the purge reads.
CREATE INDEX outbox_idempotency_expiry ON outbox_idempotency (expires_at);
