-- Tables of the control center.

-- Who did what. Rows are only ever added. Each mac covers the row and the mac before it.
CREATE TABLE outbox_cc_audit (
  seq BIGINT PRIMARY KEY,
  happened_at TIMESTAMP(6) NOT NULL,
  actor VARCHAR(128) NOT NULL,
  address VARCHAR(64),
  action VARCHAR(64) NOT NULL,
  application VARCHAR(64),
  target VARCHAR(256),
  outcome VARCHAR(16) NOT NULL,
  detail VARCHAR(2000),
  mac VARCHAR(64) NOT NULL
);

-- The end of the chain: one row.
CREATE TABLE outbox_cc_audit_head (
  id INT PRIMARY KEY,
  seq BIGINT NOT NULL,
  mac VARCHAR(64) NOT NULL,
  head_mac VARCHAR(64) NOT NULL
);
INSERT INTO outbox_cc_audit_head (id, seq, mac, head_mac) VALUES (1, 0, '', '');

-- People. roles is a list like *=admin or orders=viewer,billing=operator.
CREATE TABLE outbox_cc_user (
  name VARCHAR(64) PRIMARY KEY,
  password_hash VARCHAR(255) NOT NULL,
  roles VARCHAR(2000) NOT NULL,
  payloads SMALLINT NOT NULL,
  disabled SMALLINT NOT NULL,
  created_at TIMESTAMP(6) NOT NULL
);

-- Tokens for programs. Only a hash is kept.
CREATE TABLE outbox_cc_token (
  id VARCHAR(26) PRIMARY KEY,
  name VARCHAR(64) NOT NULL,
  secret_hash VARCHAR(64) NOT NULL UNIQUE,
  roles VARCHAR(2000) NOT NULL,
  payloads SMALLINT NOT NULL,
  created_by VARCHAR(64) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL,
  expires_at TIMESTAMP(6) NOT NULL
);

-- Bulk operations. filter_text is a query as the list of events takes it. Whoever holds one works on it until held_until.
CREATE TABLE outbox_cc_operation (
  id VARCHAR(26) PRIMARY KEY,
  application VARCHAR(64) NOT NULL,
  action VARCHAR(16) NOT NULL,
  filter_text VARCHAR(2000) NOT NULL,
  error_group VARCHAR(64),
  reason VARCHAR(500) NOT NULL,
  actor VARCHAR(128) NOT NULL,
  per_second INT NOT NULL,
  state VARCHAR(16) NOT NULL,
  list_cursor VARCHAR(500),
  total INT NOT NULL,
  succeeded INT NOT NULL,
  refused INT NOT NULL,
  problem VARCHAR(1000),
  created_at TIMESTAMP(6) NOT NULL,
  changed_at TIMESTAMP(6) NOT NULL,
  held_by VARCHAR(64),
  held_until TIMESTAMP(6)
);
CREATE INDEX outbox_cc_operation_list ON outbox_cc_operation (application, id);
CREATE INDEX outbox_cc_operation_open ON outbox_cc_operation (state);

-- What an operation does to which event. outcome: waiting, taken (being done), ok, refused.
CREATE TABLE outbox_cc_operation_item (
  operation_id VARCHAR(26) NOT NULL,
  event_id VARCHAR(36) NOT NULL,
  event_created_at TIMESTAMP(6) NOT NULL,
  outcome VARCHAR(16) NOT NULL,
  detail VARCHAR(500),
  happened_at TIMESTAMP(6),
  PRIMARY KEY (operation_id, event_id)
);
CREATE INDEX outbox_cc_operation_item_next ON outbox_cc_operation_item (operation_id, outcome, event_created_at, event_id);
CREATE INDEX outbox_cc_operation_item_list ON outbox_cc_operation_item (operation_id, event_created_at, event_id);

-- Filters worth keeping. Shared ones are seen by everybody who sees the application.
CREATE TABLE outbox_cc_view (
  id VARCHAR(26) PRIMARY KEY,
  application VARCHAR(64) NOT NULL,
  name VARCHAR(64) NOT NULL,
  owner VARCHAR(128) NOT NULL,
  shared SMALLINT NOT NULL,
  filter_text VARCHAR(2000) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL
);
CREATE INDEX outbox_cc_view_application ON outbox_cc_view (application);

-- Ways to people. settings is encrypted, hint is what may be shown of it.
CREATE TABLE outbox_cc_channel (
  id VARCHAR(26) PRIMARY KEY,
  name VARCHAR(64) NOT NULL UNIQUE,
  kind VARCHAR(16) NOT NULL,
  settings VARCHAR(4000) NOT NULL,
  hint VARCHAR(255) NOT NULL,
  created_by VARCHAR(128) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL
);

-- When to tell whom. application is * for all, channels are ids, separated by commas.
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
  created_at TIMESTAMP(6) NOT NULL
);

-- What was or is wrong. over_at is null as long as it is.
CREATE TABLE outbox_cc_alert (
  id VARCHAR(26) PRIMARY KEY,
  rule_id VARCHAR(26) NOT NULL,
  application VARCHAR(64) NOT NULL,
  subject VARCHAR(255) NOT NULL,
  reading DOUBLE PRECISION NOT NULL,
  since TIMESTAMP(6) NOT NULL,
  over_at TIMESTAMP(6)
);
CREATE INDEX ix_outbox_cc_alert_over ON outbox_cc_alert (over_at);

-- Who was told of an alert. told: 1 that it began, 2 that it is over.
CREATE TABLE outbox_cc_alert_notice (
  alert_id VARCHAR(26) NOT NULL,
  channel_id VARCHAR(26) NOT NULL,
  told SMALLINT NOT NULL,
  told_at TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (alert_id, channel_id)
);

-- What nobody wants to hear of for a while. rule_id is null for all rules of the application.
CREATE TABLE outbox_cc_mute (
  id VARCHAR(26) PRIMARY KEY,
  application VARCHAR(64) NOT NULL,
  rule_id VARCHAR(26),
  reason VARCHAR(500) NOT NULL,
  until_at TIMESTAMP(6) NOT NULL,
  created_by VARCHAR(128) NOT NULL,
  created_at TIMESTAMP(6) NOT NULL
);

-- What was sent, and whether it arrived.
CREATE TABLE outbox_cc_alert_delivery (
  id VARCHAR(26) PRIMARY KEY,
  sent_at TIMESTAMP(6) NOT NULL,
  channel_id VARCHAR(26) NOT NULL,
  channel VARCHAR(64) NOT NULL,
  title VARCHAR(255) NOT NULL,
  error VARCHAR(500)
);
CREATE INDEX ix_outbox_cc_delivery_channel ON outbox_cc_alert_delivery (channel_id, sent_at);

-- Work that one of several control centers does for all of them.
CREATE TABLE outbox_cc_lease (
  name VARCHAR(64) PRIMARY KEY,
  owner VARCHAR(64) NOT NULL,
  until_at TIMESTAMP(6) NOT NULL
);
