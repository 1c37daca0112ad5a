-- The nodes of a fleet of outboxes, in one database that all of them reach. The same on every database.
CREATE TABLE outbox_fleet_node (
  node_id VARCHAR(128) PRIMARY KEY,
  beat BIGINT NOT NULL
);
