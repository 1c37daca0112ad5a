-- The outbox table on PostgreSQL, cut into days by the time that is the beginning of every event id.
--
-- Like postgresql.sql, but PARTITION BY RANGE (event_id): the key of the table stays its primary key, and an id is unique
--   over all days. The days are made, with the settings of postgresql.sql for each, and taken away by DailyPartitions.
-- COLLATE "C" is needed here, not only faster: the bounds of the days are compared byte by byte.
CREATE TABLE outbox_event (
  event_id VARCHAR(36) COLLATE "C" PRIMARY KEY,
  event_type VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id VARCHAR(128),
  tenant_id VARCHAR(64),
  payload JSONB NOT NULL,
  headers JSONB,
  status SMALLINT NOT NULL,
  attempts INT NOT NULL DEFAULT 0,
  available_at TIMESTAMPTZ NOT NULL,
  created_at TIMESTAMPTZ NOT NULL,
  done_at TIMESTAMPTZ,
  last_error TEXT,
  locked_by VARCHAR(128),
  locked_at TIMESTAMPTZ
) PARTITION BY RANGE (event_id);

-- What a claim reads: only what is still to be delivered, the oldest due time in front. Each day has its own, and that of
-- a day that was delivered is empty.
CREATE INDEX outbox_event_pending ON outbox_event (available_at) WHERE status IN (0, 2);

-- What the dead letters read. Empty as long as nothing goes wrong.
CREATE INDEX outbox_event_dead ON outbox_event (created_at) WHERE status = 3;

-- What operators read of what failed and is tried again. Like the one above, only failures write to it.
CREATE INDEX outbox_event_retry ON outbox_event (available_at) WHERE status = 2;

-- Ids that are not of any day: those the application made in another way, and late ones of days that are gone.
CREATE TABLE outbox_event_default PARTITION OF outbox_event DEFAULT WITH (
  fillfactor = 50,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_analyze_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05
);
