-- Ordered delivery: run after V20261101000020. The database numbers the rows.
ALTER TABLE inbox_event ADD COLUMN seq BIGINT NOT NULL AUTO_INCREMENT UNIQUE;
-- The claim walks each status from its first row on.
CREATE INDEX inbox_event_seq ON inbox_event (status, seq);
-- What is in the way of a row: earlier undelivered ones of its aggregate.
CREATE INDEX inbox_event_order ON inbox_event (aggregate_id, aggregate_type, status, seq);
