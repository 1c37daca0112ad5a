-- The role of the connector, and what it may read. Run it in the database of the table, as its owner and with the right to create roles.
CREATE ROLE outbox_connect LOGIN REPLICATION PASSWORD 'change-me';
GRANT SELECT ON outbox_event TO outbox_connect;
CREATE PUBLICATION outbox_connect FOR TABLE outbox_event WITH (publish = 'insert', publish_via_partition_root = true);
