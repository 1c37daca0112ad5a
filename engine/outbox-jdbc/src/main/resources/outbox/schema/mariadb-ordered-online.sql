-- Ordered delivery on a large table, instead of mariadb-ordered.sql: a new table takes the place of the old one, so nothing is
-- rewritten under a lock. For a table without partitions. Writers go on meanwhile.

-- 1. While nodes work: the new table. Rows that are written to it get higher numbers than those of steps 2 and 4.
CREATE TABLE outbox_event_ordered LIKE outbox_event;
ALTER TABLE outbox_event_ordered ADD COLUMN seq BIGINT NOT NULL AUTO_INCREMENT UNIQUE;
CREATE INDEX outbox_event_seq ON outbox_event_ordered (status, seq);
CREATE INDEX outbox_event_order ON outbox_event_ordered (aggregate_id, aggregate_type, status, seq);
ALTER TABLE outbox_event_ordered AUTO_INCREMENT = 1000000000000;

-- From here on no node may deliver: stop them, as the change of the mode demands anyway.
-- 2. What is not delivered, numbered in the order of ids.
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
INSERT INTO outbox_event_ordered (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, status, attempts,
  available_at, created_at, done_at, last_error, locked_by, locked_at, seq)
SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, status, attempts,
  available_at, created_at, done_at, last_error, locked_by, locked_at, ROW_NUMBER() OVER (ORDER BY event_id)
FROM outbox_event WHERE status IN (0, 2, 3);

-- 3. Both tables change places at once. It waits for open transactions that wrote events, and writers wait behind it: if it
-- gives up after 2 s, repeat it.
SET SESSION lock_wait_timeout = 2;
RENAME TABLE outbox_event TO outbox_event_before, outbox_event_ordered TO outbox_event;
SET SESSION lock_wait_timeout = DEFAULT;

-- 4. What was written between 2 and 3. Then nodes can start, with ordered delivery.
INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, status, attempts,
  available_at, created_at, done_at, last_error, locked_by, locked_at, seq)
SELECT b.event_id, b.event_type, b.aggregate_type, b.aggregate_id, b.tenant_id, b.payload, b.headers, b.status, b.attempts,
  b.available_at, b.created_at, b.done_at, b.last_error, b.locked_by, b.locked_at, 500000000000 + ROW_NUMBER() OVER (ORDER BY b.event_id)
FROM outbox_event_before b LEFT JOIN outbox_event e ON e.event_id = b.event_id
WHERE b.status IN (0, 2, 3) AND e.event_id IS NULL;

-- 5. outbox_event_before has the delivered events. Drop it when their retention is over: DROP TABLE outbox_event_before
