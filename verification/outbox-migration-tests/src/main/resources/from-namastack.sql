WITH handlers (handler_id, event_type, handler) AS (
  VALUES ('outbox.migration.NamastackListeners#reserve(outbox.migration.OrderPlaced)', 'order.placed', 'stock'),
         ('outbox.migration.NamastackListeners#confirm(outbox.migration.OrderPlaced)', 'order.placed', 'mail')
), carried AS (
  UPDATE outbox_record record
  SET completed_at = now(), status = 'COMPLETED'
  FROM handlers
  WHERE handlers.handler_id = record.handler_id AND record.status <> 'COMPLETED'
  RETURNING record.id AS event_id, handlers.event_type, handlers.handler,
            record.record_key, record.payload, record.context, record.created_at
), others AS ( -- a record is for one handler: the others do not get it
  INSERT INTO outbox_consumption (event_id, handler, state, attempts, next_attempt_at, updated_at)
  SELECT carried.event_id, handlers.handler, 1, 1, now(), now()
  FROM carried JOIN handlers ON handlers.event_type = carried.event_type AND handlers.handler <> carried.handler
)
INSERT INTO outbox_event (event_id, event_type, aggregate_id, payload, headers, status, available_at, created_at)
SELECT event_id, event_type, record_key, payload::jsonb, context::jsonb, 0, now(), created_at
FROM carried;
