-- Ordered delivery: run after h2.sql. The database numbers the rows.
ALTER TABLE outbox_event ADD COLUMN seq BIGINT GENERATED ALWAYS AS IDENTITY;
-- The claim walks each status from its first row on.
CREATE INDEX outbox_event_seq ON outbox_event (status, seq);
-- What is in the way of a row: earlier undelivered ones of its aggregate.
CREATE INDEX outbox_event_order ON outbox_event (aggregate_id, aggregate_type, status, seq);
