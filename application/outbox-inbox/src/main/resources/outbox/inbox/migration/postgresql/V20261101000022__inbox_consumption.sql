-- Which handler handled which message, and how far the others are.
-- state: 1 done, 2 retry, 3 dead, as in inbox_event.
CREATE TABLE inbox_consumption (
  event_id VARCHAR(128) COLLATE "C" NOT NULL,
  handler VARCHAR(128) COLLATE "C" NOT NULL,
  state SMALLINT NOT NULL,
  attempts INT NOT NULL,
  next_attempt_at TIMESTAMPTZ NOT NULL,
  last_error VARCHAR(4000),
  updated_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (event_id, handler)
);

-- What the look for open handlers at the start and the purge read.
CREATE INDEX inbox_consumption_state ON inbox_consumption (state, updated_at);
