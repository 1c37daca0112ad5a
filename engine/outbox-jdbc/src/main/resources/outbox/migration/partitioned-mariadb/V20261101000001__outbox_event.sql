-- The outbox table on MariaDB, from 10.6, cut into days by the time that is the beginning of every event id. Times are UTC.
--
-- Like mariadb.sql, but PARTITION BY RANGE COLUMNS (event_id): the key of the table stays its primary key, and an id is unique
--   over all days. The days are made and taken away by DailyPartitions, between the two partitions that are here.
-- p_before: ids below those of July 2025, p_after: ids of no day yet, or made by the application in another way.
-- utf8mb4_bin is needed here, not only faster: the bounds of the days are compared byte by byte.
CREATE TABLE outbox_event (
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
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
PARTITION BY RANGE COLUMNS (event_id) (
  PARTITION p_before VALUES LESS THAN ('01K'),
  PARTITION p_after VALUES LESS THAN (MAXVALUE)
);

-- What a claim reads: each status is a range, its oldest due time in front. InnoDB appends event_id by itself.
CREATE INDEX outbox_event_due ON outbox_event (status, available_at);
