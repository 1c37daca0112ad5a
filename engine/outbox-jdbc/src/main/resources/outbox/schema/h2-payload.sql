-- Payloads that are not in their event's row, in parts of 256 KB. location: where an object store has the payload instead.
CREATE TABLE outbox_event_payload (
  event_id VARCHAR(36) NOT NULL,
  part INT NOT NULL,
  location VARCHAR(128),
  data VARBINARY(262144),
  PRIMARY KEY (event_id, part),
  UNIQUE (location, event_id, part)
);
