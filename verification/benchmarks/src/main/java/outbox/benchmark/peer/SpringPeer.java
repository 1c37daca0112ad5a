package outbox.benchmark.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.benchmark.BenchDatabase;

/** An engine that lives in a Spring Boot application: starts it and writes in its transactions. */
public final class SpringPeer implements AutoCloseable {
    /** Of all peers. */
    public static final List<String> AUTO_CONFIGURATIONS = Stream.concat(
                    Modulith.AUTO_CONFIGURATIONS.stream(), Namastack.AUTO_CONFIGURATIONS.stream())
            .toList();

    /** Whether this project's starter does anything; by default it leaves the application to the peer. */
    public static final String OUTBOX = "outbox.enabled";

    private static final int MAX_TRIES = 10;

    private final ConfigurableApplicationContext context;
    private final TransactionTemplate transactions;

    /** @param excluded auto-configurations that belong to another peer */
    public SpringPeer(
            Class<?> configuration,
            BenchDatabase database,
            Runnable listener,
            List<String> excluded,
            Map<String, Object> properties) {
        SpringApplication application = new SpringApplication(configuration);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(org.springframework.boot.Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        List<String> words = new ArrayList<>();
        if (!properties.containsKey(OUTBOX)) {
            words.add("--" + OUTBOX + "=false");
        }
        properties.forEach((name, value) -> words.add("--" + name + "=" + value));
        words.add("--spring.datasource.url=" + database.jdbcUrl());
        words.add("--spring.datasource.username=" + database.username());
        words.add("--spring.datasource.password=" + database.password());
        words.add("--spring.datasource.hikari.maximum-pool-size=" + BenchDatabase.POOL_SIZE);
        words.add("--spring.datasource.hikari.minimum-idle=" + BenchDatabase.POOL_SIZE);
        words.add("--spring.autoconfigure.exclude=" + String.join(",", excluded));
        words.add("--logging.level.root=WARN");
        application.addInitializers(
                fresh -> fresh.getBeanFactory().registerSingleton("deliveries", new Deliveries(listener)));
        this.context = application.run(words.toArray(new String[0]));
        this.transactions = context.getBean(TransactionTemplate.class);
    }

    /** Where the listeners of the peers report to. */
    public record Deliveries(Runnable listener) {}

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Tries again what a deadlock undid, as applications do. */
    public void inTransaction(Runnable work) {
        for (int tries = 1; ; tries++) {
            try {
                transactions.executeWithoutResult(status -> work.run());
                return;
            } catch (TransientDataAccessException e) {
                if (tries == MAX_TRIES) {
                    throw e;
                }
            }
        }
    }

    ApplicationEventPublisher publisher() {
        return context;
    }

    @Override
    public void close() {
        context.close();
    }
}
