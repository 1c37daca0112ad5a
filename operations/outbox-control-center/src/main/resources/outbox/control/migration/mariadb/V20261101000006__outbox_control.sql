-- Tables of the control center.

-- The audit log. Rows are only inserted. Each mac covers the row and the previous mac.
CREATE TABLE outbox_cc_audit (
  seq BIGINT PRIMARY KEY,
  happened_at DATETIME(6) NOT NULL,
  actor VARCHAR(128) NOT NULL,
  address VARCHAR(64),
  action VARCHAR(64) NOT NULL,
  application VARCHAR(64),
  target VARCHAR(256),
  outcome VARCHAR(16) NOT NULL,
  detail VARCHAR(2000),
  mac VARCHAR(64) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The end of the chain: one row.
CREATE TABLE outbox_cc_audit_head (
  id INT PRIMARY KEY,
  seq BIGINT NOT NULL,
  mac VARCHAR(64) NOT NULL,
  head_mac VARCHAR(64) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO outbox_cc_audit_head (id, seq, mac, head_mac) VALUES (1, 0, '', '');

-- Users. roles is a list such as *=admin or orders=viewer,billing=operator.
CREATE TABLE outbox_cc_user (
  name VARCHAR(64) PRIMARY KEY,
  password_hash VARCHAR(255) NOT NULL,
  roles VARCHAR(2000) NOT NULL,
  payloads SMALLINT NOT NULL,
  clones SMALLINT NOT NULL,
  disabled SMALLINT NOT NULL,
  created_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- API tokens. Only their hash is stored.
CREATE TABLE outbox_cc_token (
  id VARCHAR(26) PRIMARY KEY,
  name VARCHAR(64) NOT NULL,
  secret_hash VARCHAR(64) NOT NULL UNIQUE,
  roles VARCHAR(2000) NOT NULL,
  payloads SMALLINT NOT NULL,
  clones SMALLINT NOT NULL,
  created_by VARCHAR(64) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  expires_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Bulk operations. filter_text is a query of the event list, handler that of a redelivery. held_by works on it until held_until.
CREATE TABLE outbox_cc_operation (
  id VARCHAR(26) PRIMARY KEY,
  application VARCHAR(64) NOT NULL,
  action VARCHAR(16) NOT NULL,
  filter_text VARCHAR(2000) NOT NULL,
  error_group VARCHAR(64),
  handler VARCHAR(128),
  reason VARCHAR(500) NOT NULL,
  actor VARCHAR(128) NOT NULL,
  per_second INT NOT NULL,
  state VARCHAR(16) NOT NULL,
  list_cursor VARCHAR(500),
  total INT NOT NULL,
  succeeded INT NOT NULL,
  refused INT NOT NULL,
  problem VARCHAR(1000),
  created_at DATETIME(6) NOT NULL,
  changed_at DATETIME(6) NOT NULL,
  held_by VARCHAR(64),
  held_until DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX outbox_cc_operation_list ON outbox_cc_operation (application, id);
CREATE INDEX outbox_cc_operation_open ON outbox_cc_operation (state);

-- The events of an operation. outcome: waiting, taken (in progress), ok, refused.
CREATE TABLE outbox_cc_operation_item (
  operation_id VARCHAR(26) NOT NULL,
  event_id VARCHAR(36) NOT NULL,
  event_created_at DATETIME(6) NOT NULL,
  outcome VARCHAR(16) NOT NULL,
  detail VARCHAR(500),
  happened_at DATETIME(6),
  PRIMARY KEY (operation_id, event_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX outbox_cc_operation_item_next ON outbox_cc_operation_item (operation_id, outcome, event_created_at, event_id);
CREATE INDEX outbox_cc_operation_item_list ON outbox_cc_operation_item (operation_id, event_created_at, event_id);

-- Saved filters. Shared ones are visible to every user of the application.
CREATE TABLE outbox_cc_view (
  id VARCHAR(26) PRIMARY KEY,
  application VARCHAR(64) NOT NULL,
  name VARCHAR(64) NOT NULL,
  owner VARCHAR(128) NOT NULL,
  shared SMALLINT NOT NULL,
  filter_text VARCHAR(2000) NOT NULL,
  created_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX outbox_cc_view_application ON outbox_cc_view (application);

-- Alert channels. settings is encrypted, hint is the part that may be shown.
CREATE TABLE outbox_cc_channel (
  id VARCHAR(26) PRIMARY KEY,
  name VARCHAR(64) NOT NULL UNIQUE,
  kind VARCHAR(16) NOT NULL,
  settings VARCHAR(4000) NOT NULL,
  hint VARCHAR(255) NOT NULL,
  created_by VARCHAR(128) NOT NULL,
  created_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Alert rules. application is * for all, channels are ids, separated by commas.
CREATE TABLE outbox_cc_alert_rule (
  id VARCHAR(26) PRIMARY KEY,
  name VARCHAR(64) NOT NULL,
  application VARCHAR(64) NOT NULL,
  metric VARCHAR(32) NOT NULL,
  threshold DOUBLE PRECISION NOT NULL,
  for_seconds INT NOT NULL,
  reminder_minutes INT NOT NULL,
  channels VARCHAR(1000) NOT NULL,
  enabled SMALLINT NOT NULL,
  created_by VARCHAR(128) NOT NULL,
  created_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Alerts. over_at is null while an alert is firing.
CREATE TABLE outbox_cc_alert (
  id VARCHAR(26) PRIMARY KEY,
  rule_id VARCHAR(26) NOT NULL,
  application VARCHAR(64) NOT NULL,
  subject VARCHAR(255) NOT NULL,
  reading DOUBLE PRECISION NOT NULL,
  since DATETIME(6) NOT NULL,
  over_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX ix_outbox_cc_alert_over ON outbox_cc_alert (over_at);

-- Notifications sent for an alert. notified: 1 that it began, 2 that it is over.
CREATE TABLE outbox_cc_alert_notice (
  alert_id VARCHAR(26) NOT NULL,
  channel_id VARCHAR(26) NOT NULL,
  notified SMALLINT NOT NULL,
  notified_at DATETIME(6) NOT NULL,
  PRIMARY KEY (alert_id, channel_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Muted alerts. rule_id is null for all rules of the application.
CREATE TABLE outbox_cc_mute (
  id VARCHAR(26) PRIMARY KEY,
  application VARCHAR(64) NOT NULL,
  rule_id VARCHAR(26),
  reason VARCHAR(500) NOT NULL,
  until_at DATETIME(6) NOT NULL,
  created_by VARCHAR(128) NOT NULL,
  created_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Messages sent, and their errors.
CREATE TABLE outbox_cc_alert_delivery (
  id VARCHAR(26) PRIMARY KEY,
  sent_at DATETIME(6) NOT NULL,
  channel_id VARCHAR(26) NOT NULL,
  channel VARCHAR(64) NOT NULL,
  title VARCHAR(255) NOT NULL,
  error VARCHAR(500)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX ix_outbox_cc_delivery_channel ON outbox_cc_alert_delivery (channel_id, sent_at);

-- Leases for work that only one of several control centers does.
CREATE TABLE outbox_cc_lease (
  name VARCHAR(64) PRIMARY KEY,
  owner VARCHAR(64) NOT NULL,
  until_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Metrics of past days: a row per minute (seconds = 60) for a day, a row per quarter of an hour (900) for 30 days.
-- Ages and counts are the highest of the interval. Written, delivered and failed are sums.
CREATE TABLE outbox_cc_history (
  application VARCHAR(64) NOT NULL,
  seconds INT NOT NULL,
  bucket_at DATETIME(6) NOT NULL,
  minutes INT NOT NULL,
  oldest_seconds DOUBLE PRECISION NOT NULL,
  waiting INT NOT NULL,
  held_back INT NOT NULL,
  retrying INT NOT NULL,
  dead INT NOT NULL,
  written DOUBLE PRECISION NOT NULL,
  delivered DOUBLE PRECISION NOT NULL,
  failed DOUBLE PRECISION,
  lag_p50_millis DOUBLE PRECISION,
  lag_p95_millis DOUBLE PRECISION,
  node_starts INT NOT NULL,
  PRIMARY KEY (application, seconds, bucket_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Applications that announced themselves. The token is encrypted.
CREATE TABLE outbox_cc_announcement (
  application VARCHAR(64) PRIMARY KEY,
  api_url VARCHAR(500) NOT NULL,
  name_there VARCHAR(64) NOT NULL,
  token VARCHAR(4000) NOT NULL,
  announced_by VARCHAR(128) NOT NULL,
  announced_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
