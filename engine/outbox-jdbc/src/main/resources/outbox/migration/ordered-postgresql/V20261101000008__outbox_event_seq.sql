-- Ordered delivery: run after postgresql.sql. The database numbers the rows. Both indexes hold undelivered rows only.
ALTER TABLE outbox_event ADD COLUMN seq BIGINT GENERATED ALWAYS AS IDENTITY;
-- The claim walks from the first undelivered row on.
CREATE INDEX outbox_event_seq ON outbox_event (status, seq) WHERE status IN (0, 2);
-- What is in the way of a row: earlier ones of its aggregate.
CREATE INDEX outbox_event_order ON outbox_event (aggregate_id, aggregate_type, seq) WHERE status IN (0, 2, 3);
