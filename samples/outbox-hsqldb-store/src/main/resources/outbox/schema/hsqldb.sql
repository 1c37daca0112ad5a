-- The outbox table on HSQLDB, which has no JSON type.
CREATE TABLE outbox_event (
  event_id VARCHAR(36) PRIMARY KEY,
  event_type VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id VARCHAR(128),
  tenant_id VARCHAR(64),
  payload LONGVARCHAR NOT NULL,
  headers LONGVARCHAR,
  status SMALLINT NOT NULL,
  attempts INT DEFAULT 0 NOT NULL,
  available_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  done_at TIMESTAMP(6) WITH TIME ZONE,
  last_error LONGVARCHAR,
  locked_by VARCHAR(128),
  locked_at TIMESTAMP(6) WITH TIME ZONE
);

-- What a claim reads.
CREATE INDEX outbox_event_due ON outbox_event (status, available_at);

-- What a purge reads, and the dead letters.
CREATE INDEX outbox_event_done ON outbox_event (status, done_at);
