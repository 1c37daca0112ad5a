-- Ordered delivery on a large table, instead of postgresql-ordered.sql: the table is not rewritten, and nobody is locked out
-- for longer than a moment. PostgreSQL 12 and newer, a table without partitions. Nodes and writers go on meanwhile.
-- Run it with psql, not in a transaction. If a statement fails, begin again at its step: 1 and 4 give up when a lock is not
-- free within 2 s, because everybody would wait behind them, and 2 can meet a deadlock.

-- 1. The column, and numbers for new rows.
SET lock_timeout = '2s';
CREATE SEQUENCE IF NOT EXISTS outbox_event_new START WITH 1000000000000;
ALTER TABLE outbox_event ADD COLUMN IF NOT EXISTS seq BIGINT, ALTER COLUMN seq SET DEFAULT nextval('outbox_event_new');
RESET lock_timeout;

-- 2. Numbers for the rows before them, in the order of their ids, a thousand in a transaction.
DO $$
DECLARE
  last_id TEXT := '';
  numbered BIGINT := COALESCE((SELECT MAX(seq) FROM outbox_event WHERE seq < 1000000000000), 0);
BEGIN
  LOOP
    WITH next AS (
      SELECT event_id, ROW_NUMBER() OVER (ORDER BY event_id) AS n
      FROM (SELECT event_id FROM outbox_event WHERE event_id > last_id ORDER BY event_id LIMIT 1000 FOR UPDATE) locked
    ), numbers AS (
      UPDATE outbox_event e SET seq = numbered + next.n FROM next WHERE e.event_id = next.event_id AND e.seq IS NULL
    )
    SELECT MAX(event_id) INTO last_id FROM next;
    EXIT WHEN last_id IS NULL;
    numbered := numbered + 1000;
    COMMIT;
  END LOOP;
END $$;

-- 3. The indexes. An interrupted one is invalid: drop it and create it again.
CREATE INDEX CONCURRENTLY outbox_event_seq ON outbox_event (status, seq) WHERE status IN (0, 2);
CREATE INDEX CONCURRENTLY outbox_event_order ON outbox_event (aggregate_id, aggregate_type, seq) WHERE status IN (0, 2, 3);

-- 4. The same column as in postgresql-ordered.sql. Checking all rows needs no lock that others would notice.
SET lock_timeout = '2s';
ALTER TABLE outbox_event DROP CONSTRAINT IF EXISTS outbox_event_numbered;
ALTER TABLE outbox_event ADD CONSTRAINT outbox_event_numbered CHECK (seq IS NOT NULL) NOT VALID;
ALTER TABLE outbox_event VALIDATE CONSTRAINT outbox_event_numbered;
DO $$
BEGIN
  LOCK TABLE outbox_event IN ACCESS EXCLUSIVE MODE;
  ALTER TABLE outbox_event ALTER COLUMN seq SET NOT NULL, ALTER COLUMN seq DROP DEFAULT;
  ALTER TABLE outbox_event DROP CONSTRAINT outbox_event_numbered;
  EXECUTE FORMAT('ALTER TABLE outbox_event ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (START WITH %s)',
    nextval('outbox_event_new'));
  DROP SEQUENCE outbox_event_new;
END $$;
RESET lock_timeout;
