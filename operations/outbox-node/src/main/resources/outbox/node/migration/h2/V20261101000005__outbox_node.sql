-- Tables that nodes write in addition to the outbox table.

-- One row per failed delivery. outcome: 2 retry, 3 dead, as in outbox_event.
CREATE TABLE outbox_attempt (
  id VARCHAR(26) PRIMARY KEY,
  event_id VARCHAR(36) NOT NULL,
  event_type VARCHAR(128) NOT NULL,
  attempt INT NOT NULL,
  happened_at TIMESTAMP(6) NOT NULL,
  duration_micros BIGINT,
  node VARCHAR(128),
  outcome SMALLINT NOT NULL,
  error_class VARCHAR(255) NOT NULL,
  error_text VARCHAR(8000) NOT NULL
);
CREATE INDEX outbox_attempt_event ON outbox_attempt (event_id, attempt);
CREATE INDEX outbox_attempt_time ON outbox_attempt (happened_at);
CREATE INDEX outbox_attempt_outcome ON outbox_attempt (outcome, happened_at);

-- One row per running node, updated by its heartbeat and deleted when it stops. node is its name in locked_by.
CREATE TABLE outbox_node (
  node VARCHAR(128) PRIMARY KEY,
  version VARCHAR(64) NOT NULL,
  started_at TIMESTAMP(6) NOT NULL,
  seen_at TIMESTAMP(6) NOT NULL,
  clock_offset_millis BIGINT NOT NULL,
  delivered BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  dead BIGINT NOT NULL,
  attempts_lost BIGINT NOT NULL,
  in_flight INT NOT NULL,
  hot_depth INT NOT NULL,
  cold_depth INT NOT NULL
);

-- The handlers of a node, as of its last heartbeat. breaker: 0 closed, 1 open, 2 half-open.
-- delivered and failed count since its start. Actions are the commands it supports, separated by commas.
CREATE TABLE outbox_node_handler (
  node VARCHAR(128) NOT NULL,
  handler VARCHAR(128) NOT NULL,
  kind VARCHAR(16) NOT NULL,
  detail VARCHAR(500) NOT NULL,
  paused SMALLINT NOT NULL,
  disabled SMALLINT NOT NULL,
  breaker SMALLINT NOT NULL,
  running INT NOT NULL,
  waiting INT NOT NULL,
  delivered BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  actions VARCHAR(100) NOT NULL,
  PRIMARY KEY (node, handler)
);

-- Handlers that operators paused: nodes read this with every heartbeat, and when they start.
CREATE TABLE outbox_handler_switch (
  handler VARCHAR(128) PRIMARY KEY,
  paused SMALLINT NOT NULL,
  reason VARCHAR(500),
  changed_by VARCHAR(128) NOT NULL,
  changed_at TIMESTAMP(6) NOT NULL
);

-- Commands of operators. everywhere: 1 for each node, 0 for the first one that takes it.
CREATE TABLE outbox_node_command (
  id VARCHAR(26) PRIMARY KEY,
  action VARCHAR(32) NOT NULL,
  target VARCHAR(128) NOT NULL,
  everywhere SMALLINT NOT NULL,
  created_by VARCHAR(128) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  taken_by VARCHAR(128)
);

-- Results of these commands.
CREATE TABLE outbox_node_result (
  command_id VARCHAR(26) NOT NULL,
  node VARCHAR(128) NOT NULL,
  done_at TIMESTAMP(6) NOT NULL,
  outcome VARCHAR(500) NOT NULL,
  PRIMARY KEY (command_id, node)
);

-- Webhook secrets that operators rotated, the last two of each endpoint. Encrypted with a key that is not stored here.
CREATE TABLE outbox_webhook_secret (
  id VARCHAR(26) PRIMARY KEY,
  endpoint VARCHAR(128) NOT NULL,
  sealed VARCHAR(500) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL
);
CREATE INDEX outbox_webhook_secret_endpoint ON outbox_webhook_secret (endpoint, id);
