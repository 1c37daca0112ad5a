package outbox.spring.boot;

import javax.sql.DataSource;
import outbox.spi.MetricsExporter;

/** Wraps the metrics of an outbox. */
@FunctionalInterface
interface MetricsAround {
    MetricsExporter around(String outbox, DataSource dataSource, MetricsExporter metrics);
}
