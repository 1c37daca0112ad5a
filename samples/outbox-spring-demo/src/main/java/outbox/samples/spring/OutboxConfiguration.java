package outbox.samples.spring;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.dead.DeadEventManager;
import outbox.jdbc.store.JdbcOutbox;
import outbox.listener.ControlledListener;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.registry.DefaultListenerRegistry;
import outbox.spring.SpringTxContext;

/** Wires the outbox to Boot's data source and transactions. */
@Configuration(proxyBeanMethods = false)
class OutboxConfiguration {
    @Bean(initMethod = "start", destroyMethod = "close")
    @DependsOnDatabaseInitialization
    Outbox outbox(DataSource dataSource, Deliveries deliveries, MeterRegistry meters) {
        return JdbcOutbox.multiNode(dataSource)
                .transactions(new SpringTxContext(dataSource))
                .listeners(new DefaultListenerRegistry()
                        .register(
                                OrderEvents.ORDER,
                                OrderEvents.Type.ORDER_PLACED,
                                ControlledListener.of(deliveries)
                                        .name("deliveries")
                                        .deadOn(IllegalArgumentException.class)
                                        .build()))
                .metrics(new MicrometerMetricsExporter(meters))
                .retention(Duration.ofDays(1))
                .build();
    }

    @Bean
    OutboxWriter outboxWriter(Outbox outbox) {
        return outbox.writer();
    }

    @Bean
    DeadEventManager deadEvents(Outbox outbox) {
        return outbox.deadEvents();
    }
}
