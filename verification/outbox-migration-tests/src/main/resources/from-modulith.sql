WITH handlers (listener_id, event_type, handler) AS (
  VALUES ('outbox.migration.ModulithListeners.reserve(outbox.migration.OrderPlaced)', 'order.placed', 'stock'),
         ('outbox.migration.ModulithListeners.confirm(outbox.migration.OrderPlaced)', 'order.placed', 'mail')
), carried AS (
  UPDATE event_publication publication
  SET completion_date = now(), status = 'COMPLETED'
  FROM handlers
  WHERE handlers.listener_id = publication.listener_id AND publication.completion_date IS NULL
  RETURNING publication.id::text AS event_id, handlers.event_type, handlers.handler,
            publication.serialized_event, publication.publication_date
), others AS ( -- a publication is for one listener: the other handlers do not get it
  INSERT INTO outbox_consumption (event_id, handler, state, attempts, next_attempt_at, updated_at)
  SELECT carried.event_id, handlers.handler, 1, 1, now(), now()
  FROM carried JOIN handlers ON handlers.event_type = carried.event_type AND handlers.handler <> carried.handler
)
INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)
SELECT event_id, event_type, serialized_event::jsonb, 0, now(), publication_date
FROM carried;
