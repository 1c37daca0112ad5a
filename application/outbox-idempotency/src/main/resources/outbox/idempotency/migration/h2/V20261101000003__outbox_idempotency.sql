-- One row per idempotency key. status: 0 in progress, 1 succeeded, 2 failed.
CREATE TABLE outbox_idempotency (
  tenant_id VARCHAR(64) NOT NULL,
  scope VARCHAR(64) NOT NULL,
  idempotency_key VARCHAR(128) NOT NULL,
  request_hash CHAR(64) NOT NULL,
  status SMALLINT NOT NULL,
  attempts INT NOT NULL,
  internal_id BINARY(16) NOT NULL,
  public_id VARCHAR(64) NOT NULL,
  result_json CLOB,
  last_error VARCHAR(4000),
  owner VARCHAR(26) NOT NULL,
  locked_until TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  expires_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  updated_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  PRIMARY KEY (tenant_id, scope, idempotency_key)
);

-- What the purge reads.
CREATE INDEX outbox_idempotency_expiry ON outbox_idempotency (expires_at);
