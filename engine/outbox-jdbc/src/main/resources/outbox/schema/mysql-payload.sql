-- Payloads that are not in their event's row, in parts of 256 KB. location: where an object store has the payload instead.
CREATE TABLE outbox_event_payload (
  event_id VARCHAR(36) NOT NULL,
  part INT NOT NULL,
  location VARCHAR(128),
  data MEDIUMBLOB,
  PRIMARY KEY (event_id, part),
  UNIQUE (location, event_id, part)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
