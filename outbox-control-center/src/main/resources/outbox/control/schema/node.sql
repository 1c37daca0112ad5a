-- Tables that the engine writes beside its outbox table. {time} and {options} as in control.sql.

-- One row per failed delivery. outcome: 2 retry, 3 dead, as in outbox_event.
CREATE TABLE outbox_attempt (
  id VARCHAR(26) PRIMARY KEY,
  event_id VARCHAR(36) NOT NULL,
  event_type VARCHAR(128) NOT NULL,
  attempt INT NOT NULL,
  happened_at {time} NOT NULL,
  duration_micros BIGINT,
  node VARCHAR(128),
  outcome SMALLINT NOT NULL,
  error_class VARCHAR(255) NOT NULL,
  error_text VARCHAR(8000) NOT NULL
) {options};
CREATE INDEX outbox_attempt_event ON outbox_attempt (event_id, attempt);
CREATE INDEX outbox_attempt_time ON outbox_attempt (happened_at);

-- One row per running engine, renewed by its heartbeat.
CREATE TABLE outbox_node (
  node VARCHAR(128) PRIMARY KEY,
  started_at {time} NOT NULL,
  seen_at {time} NOT NULL,
  delivered BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  attempts_lost BIGINT NOT NULL,
  hot_depth INT NOT NULL,
  cold_depth INT NOT NULL
) {options};
