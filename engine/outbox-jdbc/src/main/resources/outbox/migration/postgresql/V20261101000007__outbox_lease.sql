-- Which node does a recurring task alone, such as sending alerts about dead events. The same on every database.
CREATE TABLE outbox_lease (
  name VARCHAR(200) PRIMARY KEY,
  owner VARCHAR(128) NOT NULL,
  beat BIGINT NOT NULL
);
