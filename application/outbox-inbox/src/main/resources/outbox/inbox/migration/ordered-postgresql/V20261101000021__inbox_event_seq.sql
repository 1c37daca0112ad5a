-- Ordered delivery: run after V20261101000020. The database numbers the rows. Both indexes hold undelivered rows only.
ALTER TABLE inbox_event ADD COLUMN seq BIGINT GENERATED ALWAYS AS IDENTITY;
-- The claim walks from the first undelivered row on.
CREATE INDEX inbox_event_seq ON inbox_event (status, seq) WHERE status IN (0, 2);
-- What is in the way of a row: earlier ones of its aggregate.
CREATE INDEX inbox_event_order ON inbox_event (aggregate_id, aggregate_type, seq) WHERE status IN (0, 2, 3);
