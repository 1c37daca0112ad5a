-- Which handler handled which message, and how far the others are. Times are UTC.
-- state: 1 done, 2 retry, 3 dead, as in inbox_event.
-- utf8mb4_bin: ids and names are compared exactly.
CREATE TABLE inbox_consumption (
  event_id VARCHAR(128) NOT NULL,
  handler VARCHAR(128) NOT NULL,
  state TINYINT NOT NULL,
  attempts INT NOT NULL,
  next_attempt_at DATETIME(6) NOT NULL,
  last_error VARCHAR(4000),
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (event_id, handler)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What the look for open handlers at the start and the purge read.
CREATE INDEX inbox_consumption_state ON inbox_consumption (state, updated_at);
