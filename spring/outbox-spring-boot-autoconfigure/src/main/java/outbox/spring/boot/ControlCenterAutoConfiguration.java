package outbox.spring.boot;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.audit.AuditAnchor;
import outbox.control.audit.AuditKey;
import outbox.control.http.ControlCenterServlet;
import outbox.control.http.OperatorSource;
import outbox.control.source.Application;
import outbox.node.JdbcWebhookSecrets;
import outbox.node.WebhookSecretRotation;
import outbox.spi.FailureListener;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.webhook.WebhookPublisher;

/**
 * With {@code outbox-control-center} on the class path, failed attempts are recorded, the node sends heartbeats, and a
 * servlet application serves the page behind its own Spring Security.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(ControlCenter.class)
@ConditionalOnProperty(prefix = "outbox", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(ControlCenterProperties.class)
public class ControlCenterAutoConfiguration {
    private static final String NOT_SERVED = "the outbox control center is not served: ";
    private static final Logger LOG = System.getLogger(ControlCenterAutoConfiguration.class.getName());

    @Bean
    AttemptRecording outboxAttemptRecording(
            OutboxProperties outbox, ControlCenterProperties properties, ObjectProvider<FailureListener> listeners) {
        return new AttemptRecording(properties, outbox.getSchema().getMode(), listeners);
    }

    @Bean
    NodeAgent outboxNodeAgent(
            ControlCenterProperties properties,
            OutboxProperties outbox,
            ObjectProvider<OutboxUnit> units,
            AttemptRecording attempts,
            ObjectProvider<WebhookPublisher> webhooks,
            ObjectProvider<WebhookSecretRotation> rotation,
            ListableBeanFactory beans) {
        return new NodeAgent(
                properties, outbox, units, attempts, webhooks, rotation, OwnBean.of(beans, InstantSource.class));
    }

    /** Stores rotated webhook secrets, if the application defines how receivers get them. */
    @Bean
    @Lazy // only needed by a delivering outbox
    @ConditionalOnBean(JdbcWebhookSecrets.HandOver.class)
    @ConditionalOnMissingBean(WebhookSecretRotation.class)
    @ConditionalOnProperty(prefix = "outbox.control-center", name = "secret")
    JdbcWebhookSecrets outboxWebhookSecrets(
            ConfigurableListableBeanFactory beans,
            OutboxProperties outbox,
            ControlCenterProperties properties,
            JdbcWebhookSecrets.HandOver handOver) {
        DataSource dataSource = DataSources.of(beans, outbox.getDataSource());
        if (!ControlTables.areUsableByNodes(
                dataSource, outbox.getSchema().getMode(), "webhook secrets cannot be rotated")) {
            throw new RefusedSettingsException(
                    "there is a JdbcWebhookSecrets.HandOver bean, and the table"
                            + " outbox_webhook_secret cannot be used",
                    "The log above says why.");
        }
        return JdbcWebhookSecrets.on(dataSource, key(properties).derive("webhook secrets"), handOver);
    }

    private static AuditKey key(ControlCenterProperties properties) {
        try {
            return new AuditKey(Base64.getDecoder()
                    .decode(String.valueOf(properties.getSecret()).strip()));
        } catch (IllegalArgumentException e) {
            // without the cause: it may quote the secret
            throw new RefusedSettingsException(
                    "outbox.control-center.secret must be Base64 of at least 32 bytes",
                    "Generate one with: openssl rand -base64 32");
        }
    }

    /** Fails if alerts are configured but could never be sent. */
    private static void refuseAlertsOfNobody(ConfigurableListableBeanFactory beans, String closed) {
        boolean set = Binder.get(beans.getBean(Environment.class))
                .bind("outbox.control-center.alerts", Bindable.mapOf(String.class, Object.class))
                .isBound();
        if (set) {
            throw new RefusedSettingsException(
                    "there are properties outbox.control-center.alerts.*, but no control"
                            + " center is served and so no alert is sent: " + closed,
                    "Change that, or remove the properties.");
        }
    }

    /** The page is a servlet, so a reactive application does not have it; its events and nodes are seen elsewhere. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnBean(OutboxUnit.class)
    @ConditionalOnProperty(prefix = "outbox.control-center", name = "enabled", matchIfMissing = true)
    static class NoPageInReactiveApplications {
        @Bean
        InitializingBean outboxControlCenterNotice(ConfigurableListableBeanFactory beans) {
            String closed =
                    "it is a servlet, and this application is reactive. Run outbox-control-center-server beside it";
            return () -> {
                refuseAlertsOfNobody(beans, closed);
                LOG.log(Level.INFO, NOT_SERVED + closed);
            };
        }
    }

    /** The page and its API. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(name = "jakarta.servlet.http.HttpServlet")
    @ConditionalOnBean(OutboxUnit.class)
    @ConditionalOnProperty(prefix = "outbox.control-center", name = "enabled", matchIfMissing = true)
    static class Page {
        @Bean
        ServletRegistrationBean<HttpServlet> outboxControlCenter(
                ControlCenterProperties properties,
                OutboxProperties outbox,
                ObjectProvider<OutboxUnit> units,
                ConfigurableListableBeanFactory beans) {
            boolean secured = beans.containsBean("springSecurityFilterChain");
            OperatorSource own = OwnBean.of(beans, OperatorSource.class);
            ControlCenter ownCenter = OwnBean.of(beans, ControlCenter.class);
            if (ownCenter != null) {
                OwnControlCenter.refuseSettings(beans.getBean(Environment.class));
            }
            String closed = whyClosed(properties, secured, own != null, ownCenter != null);
            if (closed != null) {
                refuseAlertsOfNobody(beans, closed);
                if (properties.getAnnounce().isSet()) {
                    throw new RefusedSettingsException(
                            "outbox.control-center.announce.server is set, but no control center is"
                                    + " served that the server could reach: " + closed,
                            "Serve the control center, or remove outbox.control-center.announce.server.");
                }
                LOG.log(Level.INFO, NOT_SERVED + closed);
                ServletRegistrationBean<HttpServlet> none = new ServletRegistrationBean<>(new NoPage());
                none.setEnabled(false);
                return none;
            }
            OperatorSource operators = own == null ? new HostOperators(properties, secured) : new TokensFirst(own);
            if (ownCenter != null) {
                return registration(new ControlCenterServlet(ownCenter, operators), properties);
            }
            OutboxUnit home =
                    ControlCenterHome.of(properties.getHome(), units.stream().toList(), outbox);
            String problem = ControlTables.problemOfPage(
                    home.parts().dataSource(), outbox.getSchema().getMode());
            return registration(
                    problem == null
                            ? new ControlCenterServlet(
                                    center(properties, home, units.stream().toList(), beans), operators)
                            : new PageWithoutTables(operators, problem),
                    properties);
        }

        private static ServletRegistrationBean<HttpServlet> registration(
                HttpServlet page, ControlCenterProperties properties) {
            ServletRegistrationBean<HttpServlet> servlet =
                    new ServletRegistrationBean<>(page, properties.getPath() + "/*");
            servlet.setName("outboxControlCenter");
            servlet.setAsyncSupported(true);
            return servlet;
        }

        /** Ordered before the application's security, which does not know these tokens and would require a login. */
        @Bean
        FilterRegistrationBean<ApiTokenFilter> outboxControlCenterTokens(
                ControlCenterProperties properties,
                @Qualifier("outboxControlCenter") ServletRegistrationBean<HttpServlet> page) {
            FilterRegistrationBean<ApiTokenFilter> filter = new FilterRegistrationBean<>(
                    new ApiTokenFilter(ApiTokens.of(properties.getTokens()), page.getServlet()));
            filter.addUrlPatterns(properties.getPath()
                    + "/api/*"); // mapped by URL: mapped by servlet name it would run after these filters
            filter.setOrder(Ordered.HIGHEST_PRECEDENCE + 10);
            filter.setDispatcherTypes(DispatcherType.REQUEST);
            filter.setAsyncSupported(true);
            filter.setEnabled(page.isEnabled() && !properties.getTokens().isEmpty());
            return filter;
        }

        @Bean
        ControlCenterAnnouncer outboxControlCenterAnnouncer(
                ControlCenterProperties properties, ObjectProvider<OutboxUnit> units, Environment environment) {
            List<OutboxUnit> all = units.stream().toList();
            return new ControlCenterAnnouncer(
                    properties.getAnnounce().isSet()
                            ? all.stream()
                                    .map(unit -> properties
                                            .getAnnounce()
                                            .of(
                                                    properties.getTokens(),
                                                    environment.getProperty("spring.application.name"),
                                                    unit.name(),
                                                    all.size() == 1))
                                    .toList()
                            : List.of());
        }

        /** Closes live streams before the web server waits for open requests: they do not end otherwise. */
        @Bean
        ApplicationListener<ContextClosedEvent> outboxControlCenterEnd(
                @Qualifier("outboxControlCenter") ServletRegistrationBean<HttpServlet> page,
                ApplicationContext application) {
            return event -> {
                if (event.getApplicationContext() == application) { // not a child context
                    page.getServlet().destroy();
                }
            };
        }

        /** Operators as the application says, beside the tokens of the configuration. */
        private record TokensFirst(OperatorSource own) implements OperatorSource {
            @Override
            public @Nullable Operator operator(HttpServletRequest request) {
                return request.getAttribute(ApiTokenFilter.OPERATOR) instanceof Operator operator
                        ? operator
                        : own.operator(request);
            }

            @Override
            public Map<String, String> logins(HttpServletRequest request) {
                return own.logins(request);
            }

            @Override
            public Map<String, String> requestHeaders(HttpServletRequest request) {
                return own.requestHeaders(request);
            }
        }

        /** A registration needs a servlet, even if it is disabled. */
        private static final class NoPage extends HttpServlet {
            private static final long serialVersionUID = 1L;
        }

        /**
         * @param ownOperators whether a bean of the application says who may do what
         * @param ownCenter whether the control center is a bean of the application, with a secret of its own
         */
        private static @Nullable String whyClosed(
                ControlCenterProperties properties, boolean secured, boolean ownOperators, boolean ownCenter) {
            if (!secured && !ownOperators && !properties.isAllowWithoutSecurity()) {
                return "Spring Security is missing. Add it, or for local access only set"
                        + " outbox.control-center.allow-without-security=true";
            }
            if (secured
                    && !ownOperators
                    && properties.getRoles().isEmpty()
                    && properties.getTokens().isEmpty()) {
                return "no role is configured. Set one, such as outbox.control-center.roles.OPS=operator";
            }
            boolean secret =
                    properties.getSecret() != null && !properties.getSecret().isBlank();
            return !secret && !ownCenter
                    ? "outbox.control-center.secret is not set; make one with: openssl rand -base64 32"
                    : null;
        }

        private static ControlCenter center(
                ControlCenterProperties properties,
                OutboxUnit home,
                List<OutboxUnit> units,
                ConfigurableListableBeanFactory beans) {
            ControlCenter.Builder center = ControlCenter.builder(home.parts().dataSource(), key(properties))
                    .readOnly(properties.isReadOnly())
                    .traceLink(properties.getTraceLink())
                    .publicUrl(properties.getPublicUrl())
                    .operationsKept(properties.getOperationsRetention())
                    .alertClient(properties.getAlerts().client())
                    .mail(new AlertMail(
                                    "outbox.control-center.alerts.mail",
                                    properties.getAlerts().getMail(),
                                    beans)
                            .serverIfAny())
                    .mask(properties.getMasked().toArray(String[]::new));
            new PropertyGroup("outbox.control-center")
                    .give("audit-anchor", properties.getAuditAnchor(), file -> center.auditAnchor(anchor(file)));
            InstantSource clock = OwnBean.of(beans, InstantSource.class);
            if (clock != null) {
                center.clock(clock);
            }
            units.forEach(unit -> center.application(ControlCenterJobs.with(application(unit), unit, beans)));
            return center.build();
        }

        private static Application application(OutboxUnit unit) {
            OutboxUnit.Parts parts = unit.parts();
            Application application = Application.of(
                            unit.name(), parts.dataSource(), parts.store().tableName())
                    .withConsumptionTable(parts.consumptionTable());
            if (parts.relays()) {
                application = application.withDeliveryFromLog();
            }
            return parts.delivers() || parts.relays()
                    ? application.withProgress(parts.handlerSetup().listeners()::onReplay)
                    : application;
        }

        /** Fails at startup, not at the first audit entry, if the directory is not writable. */
        private static AuditAnchor anchor(Path file) {
            Path directory = file.toAbsolutePath().getParent();
            if (directory == null || !Files.isDirectory(directory) || !Files.isWritable(directory)) {
                throw new IllegalArgumentException(directory + " is not a writable directory");
            }
            return AuditAnchor.inFile(file);
        }
    }
}
