package outbox.control.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.control.access.Accounts;
import outbox.control.access.Actor;
import outbox.control.access.Rights;
import outbox.control.source.Application;

/** The program with one application on H2, and its first admin. */
final class SmallServer implements AutoCloseable {
    static final String ADMIN = "anna";
    static final String PASSWORD = "correct horse battery";

    private final ConfigurableApplicationContext context;

    SmallServer(Path directory, Map<String, ?> more) throws Exception {
        JdbcDataSource orders = new JdbcDataSource();
        orders.setURL("jdbc:h2:file:" + directory.resolve("orders") + ";AUTO_SERVER=FALSE");
        orders.setUser("sa");
        orders.setPassword("");
        if (!Files.exists(directory.resolve("orders.mv.db"))) { // it does after a restart
            try (Connection conn = orders.getConnection()) {
                Application.of("orders", orders).store().schema().apply(conn);
            }
        }
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("outbox.control-center.data-dir", directory.resolve("data").toString());
        settings.put("outbox.control-center.applications.orders.url", orders.getURL());
        settings.put("outbox.control-center.applications.orders.username", "sa");
        settings.put("outbox.control-center.applications.orders.password", "");
        String[] arguments = settings.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
        SpringApplication application = new SpringApplication(ControlCenterServer.class);
        context = application.run(with(arguments, "--server.port=0"));
        if (accounts().isEmpty()) { // not after a restart
            accounts().create(ADMIN, PASSWORD, Rights.everything(), Actor.PROGRAM);
        }
    }

    private static String[] with(String[] arguments, String more) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = more;
        return all;
    }

    int port() {
        return Integer.parseInt(context.getEnvironment().getProperty("local.server.port", "0"));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    Accounts accounts() {
        return bean(Accounts.class);
    }

    /** The secret of an admin's token. */
    String token() throws Exception {
        return token(Rights.everything());
    }

    String token(Rights rights) throws Exception {
        return accounts()
                .createToken("test", rights, Duration.ofDays(1), Actor.PROGRAM)
                .secret();
    }

    @Override
    public void close() {
        context.close();
    }
}
