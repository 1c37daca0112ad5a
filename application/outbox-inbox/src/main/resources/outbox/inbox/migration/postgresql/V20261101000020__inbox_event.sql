-- The inbox table on PostgreSQL.
--
-- event_id COLLATE "C": ids are compared byte by byte, which is several times faster than by the rules of a language.
-- fillfactor 50: a claim changes no indexed column, so with room on the page it is a HOT update that touches no index,
--   vacuum finds less to do, and the table ends up smaller than a densely packed one.
-- autovacuum: every settled event leaves a dead row version behind. Clean up by thousands, not by a fifth of the table.
CREATE TABLE inbox_event (
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
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_analyze_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05
);

-- What a claim reads: only what is still to be delivered, the oldest due time in front.
CREATE INDEX inbox_event_pending ON inbox_event (available_at) WHERE status IN (0, 2);

-- What a purge reads. It costs about a tenth of a settlement. Drop it if delivered rows are deleted at once
-- (completion mode DELETE) or by partition.
CREATE INDEX inbox_event_done ON inbox_event (done_at) WHERE status = 1;

-- What the dead letters read. Empty as long as nothing goes wrong.
CREATE INDEX inbox_event_dead ON inbox_event (created_at) WHERE status = 3;

-- What operators read of what failed and is tried again. Like the one above, only failures write to it.
CREATE INDEX inbox_event_retry ON inbox_event (available_at) WHERE status = 2;
