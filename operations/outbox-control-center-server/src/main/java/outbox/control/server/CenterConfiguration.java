package outbox.control.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;
import outbox.alert.AlertChannel;
import outbox.alert.MailChannel;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.FirstAdmin;
import outbox.control.access.LoginThrottle;
import outbox.control.access.PasswordHasher;
import outbox.control.http.ControlCenterServlet;
import outbox.control.source.Application;
import outbox.control.source.XxlJobs;
import outbox.jdbc.TableNames;
import outbox.webhook.WebhookClient;
import outbox.xxljob.admin.XxlJobAdmin;

/** Assembles the control center. */
@Configuration(proxyBeanMethods = false)
class CenterConfiguration {
    /** Where the servlet is mapped. */
    static final String PREFIX = "/outbox";

    private static final int POOL_SIZE = 6;
    /** Shorter than the usual 30 s, so that pages report an unreachable database quickly and pools close fast. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(5);

    @Bean
    InstantSource clock() {
        return InstantSource.system();
    }

    @Bean
    DataDirectory dataDirectory(ServerProperties properties) {
        return new DataDirectory(properties.dataDir());
    }

    /** Not named dataSource, because it is internal. */
    @Bean(destroyMethod = "close", defaultCandidate = false)
    HikariDataSource controlDatabase(ServerProperties properties, DataDirectory directory) {
        ServerProperties.Database database = properties.database();
        return database == null
                ? pool("control", directory.h2Url(), "sa", "")
                : pool("control", database.url(), database.username(), database.password());
    }

    @Bean(destroyMethod = "close")
    Applications applications(ServerProperties properties) {
        Applications applications = new Applications();
        properties.applications().forEach(ApplicationSettings::check); // before the first connection
        properties.applications().forEach((name, access) -> {
            if (access.apiUrl() != null) {
                applications.add(ApplicationSettings.overHttp(name, access));
                return;
            }
            HikariDataSource pool = pool(name, String.valueOf(access.url()), access.username(), access.password());
            Application application = Application.of(
                            name, pool, Objects.requireNonNullElse(access.table(), TableNames.DEFAULT_TABLE))
                    .withConsumptionTable(Objects.requireNonNullElse(
                            access.consumptionTable(), Application.DEFAULT_CONSUMPTION_TABLE));
            if (Boolean.TRUE.equals(access.deliveredFromLog())) {
                application = application.withDeliveryFromLog();
            }
            applications.add(
                    pool, access.xxlJob() == null ? application : application.withJobs(jobs(name, access.xxlJob())));
        });
        return applications;
    }

    private static XxlJobs jobs(String application, ServerProperties.XxlJob settings) {
        XxlJobAdmin admin = XxlJobAdmin.builder(
                        settings.adminAddresses(), settings.appName() == null ? application : settings.appName())
                .login(settings.username(), settings.password())
                .accessToken(settings.accessToken())
                .api(settings.adminApi())
                .build();
        return XxlJobs.of(admin, settings.instance());
    }

    private static HikariDataSource pool(String name, String url, @Nullable String user, @Nullable String password) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("outbox-control-" + name);
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(POOL_SIZE);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        return new HikariDataSource(config);
    }

    @Bean(destroyMethod = "close")
    ControlCenter controlCenter(
            ServerProperties properties,
            DataDirectory directory,
            @Qualifier("controlDatabase") DataSource database,
            Applications applications,
            InstantSource clock) {
        ControlCenter.Builder builder = ControlCenter.builder(database, directory.auditKey())
                .auditAnchor(directory.anchor())
                .clock(clock)
                .readOnly(properties.readOnly())
                .traceLink(properties.traceLink())
                .publicUrl(properties.publicUrl())
                .operationsKept(properties.operationsRetention())
                .alertClient(alertClient(properties.alerts()))
                .mail(mail(properties.alerts().mail()))
                .mask(properties.masked().toArray(String[]::new));
        if (applications.isEmpty() && properties.announcements().allowedUrls().isEmpty()) {
            throw new IllegalStateException(
                    "no application is configured: set outbox.control-center.applications.<name>.url,"
                            + " .username and .password, or .api-url and .token; or let applications announce"
                            + " themselves with outbox.control-center.announcements.allowed-urls");
        }
        try {
            builder.announcements(properties.announcements().allowedUrls());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "outbox.control-center.announcements.allowed-urls: " + e.getMessage(), e);
        }
        applications.all().forEach(builder::application);
        applications.overHttp().forEach(builder::application);
        return builder.build();
    }

    /** Closes live streams before the web server waits for open requests: they do not end otherwise. */
    @Bean
    ApplicationListener<ContextClosedEvent> endOfStreams(ControlCenter center) {
        return event -> center.close();
    }

    private static WebhookClient alertClient(ServerProperties.Alerts alerts) {
        WebhookClient.Builder client =
                WebhookClient.builder().allowAddresses(alerts.allowedAddresses().toArray(String[]::new));
        return alerts.allowHttp() ? client.allowHttp().build() : client.build();
    }

    private static @Nullable Function<List<String>, AlertChannel> mail(ServerProperties.@Nullable Mail mail) {
        if (mail == null) {
            return null;
        }
        return addresses -> {
            MailChannel.Builder channel = MailChannel.builder(mail.host(), mail.port())
                    .from(mail.from())
                    .to(addresses.toArray(String[]::new));
            if (mail.username() != null && mail.password() != null) {
                channel.login(mail.username(), mail.password());
            }
            return switch (mail.tls()) {
                case STARTTLS -> channel.startTls().build();
                case TLS -> channel.tls().build();
                case NONE -> channel.build();
            };
        };
    }

    @Bean
    PasswordHasher passwordHasher() {
        Argon2PasswordEncoder argon2 = Argon2PasswordEncoder.defaultsForSpringSecurity_v5_8();
        return new PasswordHasher() {
            @Override
            public String hash(String password) {
                return String.valueOf(argon2.encode(password));
            }

            @Override
            public boolean matches(String password, String hash) {
                return argon2.matches(password, hash);
            }
        };
    }

    /** Depends on the control center, which creates the tables. */
    @Bean
    Accounts accounts(
            ControlCenter center,
            @Qualifier("controlDatabase") DataSource database,
            PasswordHasher hasher,
            InstantSource clock) {
        return new Accounts(database, center.audit(), hasher, clock);
    }

    @Bean
    FirstAdmin firstAdmin(Accounts accounts) throws SQLException {
        return FirstAdmin.of(accounts);
    }

    @Bean
    KnownDevices knownDevices(DataDirectory directory, InstantSource clock) {
        return new KnownDevices(directory.auditKey().derive("known devices"), clock);
    }

    @Bean
    LoginThrottle loginThrottle(InstantSource clock) {
        return new LoginThrottle(clock);
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> unreadBodies() {
        return factory -> factory.addEngineValves(BodyLimits.leaveUnread());
    }

    @Bean
    ServletRegistrationBean<ControlCenterServlet> controlCenterServlet(
            ControlCenter center, Operators operators, Accounts accounts, FirstAdmin firstAdmin) {
        ServletRegistrationBean<ControlCenterServlet> servlet = new ServletRegistrationBean<>(
                new ControlCenterServlet(center, operators, accounts, firstAdmin), PREFIX + "/*");
        servlet.setName("outbox-control-center");
        servlet.setAsyncSupported(true);
        return servlet;
    }
}
