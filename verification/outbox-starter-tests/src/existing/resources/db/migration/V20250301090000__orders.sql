CREATE TABLE orders (
  id       VARCHAR(36) PRIMARY KEY,
  customer VARCHAR(60) NOT NULL REFERENCES customers (name),
  item     VARCHAR(60) NOT NULL
);
