package outbox.spring.boot;

import jakarta.servlet.http.HttpServlet;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextClosedEvent;
import outbox.control.ControlCenter;
import outbox.control.audit.AuditAnchor;
import outbox.control.audit.AuditKey;
import outbox.control.http.ControlCenterServlet;
import outbox.control.node.AttemptRecorder;
import outbox.control.node.JdbcWebhookSecrets;
import outbox.control.node.WebhookSecretRotation;
import outbox.control.source.Application;
import outbox.spi.FailureListener;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.webhook.WebhookPublisher;

/**
 * What {@code outbox-control-center} on the class path brings: attempts are recorded, the node sends heartbeats, and a
 * servlet application serves the page behind its own Spring Security.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(ControlCenter.class)
@ConditionalOnProperty(prefix = "outbox", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(ControlCenterProperties.class)
public class ControlCenterAutoConfiguration {
    private static final Logger LOG = System.getLogger(ControlCenterAutoConfiguration.class.getName());

    @Bean
    @ConditionalOnMissingBean(FailureListener.class)
    @ConditionalOnProperty(prefix = "outbox.control-center", name = "record-attempts", matchIfMissing = true)
    @Conditional(OutboxForm.IsSole.class)
    FailureListener outboxAttemptRecorder(
            ConfigurableListableBeanFactory beans, OutboxProperties properties, ControlCenterProperties controlCenter) {
        DataSource dataSource = DataSources.of(beans, properties.getDataSource());
        return NodeTables.areUsable(dataSource, properties.getSchema().getMode(), "failed attempts are not recorded")
                ? new PropertyGroup("outbox.control-center")
                        .make(
                                "attempts-kept",
                                controlCenter.getAttemptsKept(),
                                kept -> AttemptRecorder.on(dataSource, kept))
                : FailureListener.NONE;
    }

    @Bean
    @ConditionalOnExpression("!'${outbox.control-center.heartbeat:5s}'.matches('0[a-z]*')")
    NodeAgent outboxNodeAgent(
            ControlCenterProperties properties,
            OutboxProperties outbox,
            ObjectProvider<OutboxUnit> units,
            ObjectProvider<FailureListener> failures,
            ObjectProvider<WebhookPublisher> webhooks,
            ObjectProvider<WebhookSecretRotation> rotation) {
        return new NodeAgent(properties, outbox.getSchema().getMode(), units, failures, webhooks, rotation);
    }

    /** Keeps the secrets that operators rotate, where the application says how receivers get them. */
    @Bean
    @Lazy // only an outbox that delivers needs it
    @ConditionalOnBean(JdbcWebhookSecrets.HandOver.class)
    @ConditionalOnMissingBean(WebhookSecretRotation.class)
    @ConditionalOnProperty(prefix = "outbox.control-center", name = "secret")
    JdbcWebhookSecrets outboxWebhookSecrets(
            ConfigurableListableBeanFactory beans,
            OutboxProperties outbox,
            ControlCenterProperties properties,
            JdbcWebhookSecrets.HandOver handOver) {
        return JdbcWebhookSecrets.on(
                DataSources.of(beans, outbox.getDataSource()), key(properties).derive("webhook secrets"), handOver);
    }

    private static AuditKey key(ControlCenterProperties properties) {
        try {
            return new AuditKey(Base64.getDecoder()
                    .decode(String.valueOf(properties.getSecret()).strip()));
        } catch (IllegalArgumentException e) {
            // without the cause: it may quote the secret
            throw new IllegalArgumentException("outbox.control-center.secret is no Base64 of at least 32 bytes; make"
                    + " one with: openssl rand -base64 32");
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
                ObjectProvider<OutboxUnit> units,
                ConfigurableListableBeanFactory beans) {
            boolean secured = beans.containsBean("springSecurityFilterChain");
            String closed = whyClosed(properties, secured);
            if (closed != null) {
                LOG.log(Level.INFO, "the outbox control center is not served: " + closed);
                ServletRegistrationBean<HttpServlet> none = new ServletRegistrationBean<>(new NoPage());
                none.setEnabled(false);
                return none;
            }
            ControlCenter center = center(properties, units);
            ServletRegistrationBean<HttpServlet> servlet = new ServletRegistrationBean<>(
                    new ControlCenterServlet(center, new HostOperators(properties, secured)),
                    properties.getPath() + "/*");
            servlet.setName("outboxControlCenter");
            servlet.setAsyncSupported(true);
            return servlet;
        }

        /** Before the web server waits for its requests to end: an open page is one that does not by itself. */
        @Bean
        ApplicationListener<ContextClosedEvent> outboxControlCenterEnd(
                @Qualifier("outboxControlCenter") ServletRegistrationBean<HttpServlet> page,
                ApplicationContext application) {
            return event -> {
                if (event.getApplicationContext() == application) { // and not a smaller one inside of it
                    page.getServlet().destroy();
                }
            };
        }

        /** A registration wants a servlet, even if it is switched off. */
        private static final class NoPage extends HttpServlet {
            private static final long serialVersionUID = 1L;
        }

        private static @Nullable String whyClosed(ControlCenterProperties properties, boolean secured) {
            if (!secured && !properties.isAllowWithoutSecurity()) {
                return "there is no Spring Security. Add it, or for this machine alone say"
                        + " outbox.control-center.allow-without-security=true";
            }
            if (secured && properties.getRoles().isEmpty()) {
                return "nobody has a role. Say which, such as outbox.control-center.roles.OPS=operator";
            }
            return properties.getSecret() == null || properties.getSecret().isBlank()
                    ? "outbox.control-center.secret is not set; make one with: openssl rand -base64 32"
                    : null;
        }

        private static ControlCenter center(ControlCenterProperties properties, ObjectProvider<OutboxUnit> units) {
            OutboxUnit first = units.stream().findFirst().orElseThrow();
            ControlCenter.Builder center = ControlCenter.builder(first.parts().dataSource(), key(properties))
                    .readOnly(properties.isReadOnly())
                    .traceLink(properties.getTraceLink())
                    .publicUrl(properties.getPublicUrl())
                    .operationsKept(properties.getOperationsKept())
                    .alertClient(properties.getAlerts().client())
                    .mail(properties.getAlerts().mail())
                    .mask(properties.getMasked().toArray(String[]::new));
            new PropertyGroup("outbox.control-center")
                    .give("audit-anchor", properties.getAuditAnchor(), file -> center.auditAnchor(anchor(file)));
            units.stream()
                    .forEach(unit -> center.application(Application.of(
                                    unit.name(),
                                    unit.parts().dataSource(),
                                    unit.parts().store().tableName())
                            .withConsumptionTable(unit.parts().consumptionTable())));
            return center.build();
        }

        /** What can not be written is said now, and not when an operator has done something. */
        private static AuditAnchor anchor(Path file) {
            Path directory = file.toAbsolutePath().getParent();
            if (directory == null || !Files.isDirectory(directory) || !Files.isWritable(directory)) {
                throw new IllegalArgumentException(directory + " is no directory this application may write to");
            }
            return AuditAnchor.inFile(file);
        }
    }
}
