-- The user of the connector, on MySQL and MariaDB.
CREATE USER 'outbox_connect'@'%' IDENTIFIED BY 'change-me';
GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'outbox_connect'@'%';
