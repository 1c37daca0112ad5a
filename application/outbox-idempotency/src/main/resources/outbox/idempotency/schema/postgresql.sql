-- Which handler consumed which event, and how far the others are.
-- state: 1 done, 2 retry, 3 dead, as in outbox_event.
CREATE TABLE outbox_consumption (
  event_id VARCHAR(128) COLLATE "C" NOT NULL,
  handler VARCHAR(128) COLLATE "C" NOT NULL,
  state SMALLINT NOT NULL,
  attempts INT NOT NULL,
  next_attempt_at TIMESTAMPTZ NOT NULL,
  last_error VARCHAR(4000),
  updated_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (event_id, handler)
);

-- What the look for open handlers at the start and the purge read.
CREATE INDEX outbox_consumption_state ON outbox_consumption (state, updated_at);

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
