package outbox.spring.boot.idempotent;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.testing.server.TestDatabase;

/** An application on a free port and a database. */
final class Running implements AutoCloseable {
    final ConfigurableApplicationContext context;
    final Client client;

    private Running(ConfigurableApplicationContext context) {
        this.context = context;
        this.client = new Client(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }

    static Running start(Class<?> application, WebApplicationType type, TestDatabase database, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password(),
                "--spring.main.banner-mode=off",
                "--outbox.schema.mode=always"));
        for (String setting : settings) {
            arguments.add("--" + setting);
        }
        return new Running(new SpringApplicationBuilder(application).web(type).run(arguments.toArray(new String[0])));
    }

    Ledger ledger() {
        return context.getBean(Ledger.class);
    }

    /** The values of the counters of a scope by their outcome. */
    Map<String, Double> counted(String scope) {
        Map<String, Double> counted = new TreeMap<>();
        context.getBean(MeterRegistry.class)
                .find("outbox.idempotency.http.requests")
                .tag("scope", scope)
                .counters()
                .forEach(counter -> counted.put(counter.getId().getTag("outcome"), counter.count()));
        return counted;
    }

    @Override
    public void close() {
        context.close();
    }
}
