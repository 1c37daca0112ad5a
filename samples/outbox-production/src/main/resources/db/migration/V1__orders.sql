CREATE TABLE orders (
  id       VARCHAR(36) PRIMARY KEY,
  customer VARCHAR(60) NOT NULL,
  item     VARCHAR(60) NOT NULL,
  pieces   INT NOT NULL
);

CREATE TABLE stock (
  item     VARCHAR(60) PRIMARY KEY,
  reserved INT NOT NULL DEFAULT 0
);

INSERT INTO stock (item) VALUES ('chair'), ('table');
