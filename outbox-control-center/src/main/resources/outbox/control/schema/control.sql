-- Tables of the control center. {time} is the database's type for a point in time, {options} what ends a table.

-- Who did what. Rows are only ever added; each mac covers the row and the mac before it.
CREATE TABLE outbox_cc_audit (
  seq BIGINT PRIMARY KEY,
  happened_at {time} NOT NULL,
  actor VARCHAR(128) NOT NULL,
  address VARCHAR(64),
  action VARCHAR(64) NOT NULL,
  application VARCHAR(64),
  target VARCHAR(256),
  outcome VARCHAR(16) NOT NULL,
  detail VARCHAR(2000),
  mac VARCHAR(64) NOT NULL
) {options};

-- The end of the chain: one row.
CREATE TABLE outbox_cc_audit_head (
  id INT PRIMARY KEY,
  seq BIGINT NOT NULL,
  mac VARCHAR(64) NOT NULL,
  head_mac VARCHAR(64) NOT NULL
) {options};
INSERT INTO outbox_cc_audit_head (id, seq, mac, head_mac) VALUES (1, 0, '', '');

-- People. roles is a list like *=admin or orders=viewer,billing=operator.
CREATE TABLE outbox_cc_user (
  name VARCHAR(64) PRIMARY KEY,
  password_hash VARCHAR(255) NOT NULL,
  roles VARCHAR(2000) NOT NULL,
  payloads SMALLINT NOT NULL,
  disabled SMALLINT NOT NULL,
  created_at {time} NOT NULL
) {options};

-- Tokens for programs; only a hash is kept.
CREATE TABLE outbox_cc_token (
  id VARCHAR(26) PRIMARY KEY,
  name VARCHAR(64) NOT NULL,
  secret_hash VARCHAR(64) NOT NULL UNIQUE,
  roles VARCHAR(2000) NOT NULL,
  payloads SMALLINT NOT NULL,
  created_by VARCHAR(64) NOT NULL,
  created_at {time} NOT NULL,
  expires_at {time} NOT NULL
) {options};
