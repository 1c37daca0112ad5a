-- The inbox table on MySQL from 8.0 and on TiDB. Times are UTC.
--
-- utf8mb4_bin: ids, types and owners are compared exactly, which is also the fastest way.
CREATE TABLE inbox_event (
  event_id VARCHAR(36) PRIMARY KEY,
  event_type VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id VARCHAR(128),
  tenant_id VARCHAR(64),
  payload JSON NOT NULL,
  headers JSON,
  status TINYINT NOT NULL,
  attempts INT NOT NULL DEFAULT 0,
  available_at DATETIME(6) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  done_at DATETIME(6),
  last_error TEXT,
  locked_by VARCHAR(128),
  locked_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What a claim reads: each status is a range, its oldest due time in front. InnoDB appends event_id by itself.
CREATE INDEX inbox_event_due ON inbox_event (status, available_at);

-- What a purge reads, and the dead letters. Drop it if delivered rows are deleted at once (completion mode DELETE)
-- or by partition: it costs about a tenth of a settlement.
CREATE INDEX inbox_event_done ON inbox_event (status, done_at);
