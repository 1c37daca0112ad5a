-- The inbox table on H2, in any of its compatibility modes. Times are UTC.
--
-- SMALLINT, because MODE=PostgreSQL does not know TINYINT. TIMESTAMP(6), because the regular mode does not know DATETIME.
CREATE TABLE inbox_event (
  event_id VARCHAR(36) PRIMARY KEY,
  event_type VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id VARCHAR(128),
  tenant_id VARCHAR(64),
  payload JSON NOT NULL,
  headers JSON,
  status SMALLINT NOT NULL,
  attempts INT DEFAULT 0 NOT NULL,
  available_at TIMESTAMP(6) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  done_at TIMESTAMP(6),
  last_error TEXT,
  locked_by VARCHAR(128),
  locked_at TIMESTAMP(6)
);

-- What a claim reads: each status is a range, its oldest due time in front.
CREATE INDEX inbox_event_due ON inbox_event (status, available_at);

-- What a purge reads, and the dead letters.
CREATE INDEX inbox_event_done ON inbox_event (status, done_at);
