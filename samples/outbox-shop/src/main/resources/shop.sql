CREATE TABLE IF NOT EXISTS shop_order (
    id      VARCHAR(64)  NOT NULL PRIMARY KEY,
    item    VARCHAR(100) NOT NULL,
    cents   BIGINT       NOT NULL,
    card    VARCHAR(16)  NOT NULL,
    email   VARCHAR(100) NOT NULL,
    payment VARCHAR(16)  NOT NULL,
    mailed  BOOLEAN      NOT NULL,
    version INT          NOT NULL
);

CREATE TABLE IF NOT EXISTS shop_payment (
    order_id VARCHAR(64) NOT NULL PRIMARY KEY,
    cents    BIGINT      NOT NULL,
    taken    BOOLEAN     NOT NULL
);

CREATE TABLE IF NOT EXISTS shop_mail (
    order_id VARCHAR(64)  NOT NULL PRIMARY KEY,
    address  VARCHAR(100) NOT NULL,
    subject  VARCHAR(100) NOT NULL
);

CREATE TABLE IF NOT EXISTS shop_mail_correction (
    order_id VARCHAR(64)  NOT NULL PRIMARY KEY,
    address  VARCHAR(100) NOT NULL
);
