CREATE TABLE counter (orders INT);
INSERT INTO counter VALUES (0);
CREATE TABLE mail (order_id VARCHAR(64));
