package outbox.spring.boot;

import javax.sql.DataSource;
import outbox.spi.MetricsExporter;

/** Listens to the figures of an outbox on their way. */
@FunctionalInterface
interface MetricsAround {
    MetricsExporter around(String outbox, DataSource dataSource, MetricsExporter metrics);
}
