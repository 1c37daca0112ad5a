package outbox.spring.boot.module;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * {@code spring.rabbitmq.*} of an application that has no {@code spring-rabbit}: where the broker is and as whom to log in.
 * Read by name, because Spring Boot's own class needs {@code spring-rabbit}.
 */
final class SpringRabbitProperties {
    private static final String PREFIX = "spring.rabbitmq";
    private static final String PLAIN = "amqp://";
    private static final String TLS = "amqps://";

    /** What {@code spring-rabbit} makes of these is not repeated here. */
    private static final List<String> UNREAD = List.of(
            PREFIX + ".ssl.key-store", PREFIX + ".ssl.trust-store", PREFIX + ".ssl.validate-server-certificate");

    private final Environment environment;
    private final ObjectProvider<SslBundles> bundles;

    SpringRabbitProperties(Environment environment, ObjectProvider<SslBundles> bundles) {
        this.environment = environment;
        this.bundles = bundles;
    }

    record Settings(
            @Nullable String host,
            @Nullable Integer port,
            @Nullable List<String> addresses,
            @Nullable String username,
            @Nullable String password,
            @Nullable String virtualHost,
            @Nullable @DurationUnit(ChronoUnit.SECONDS) Duration requestedHeartbeat,
            @Nullable Duration connectionTimeout,
            @Nullable Ssl ssl) {
        boolean namesBroker() {
            return host != null || (addresses != null && !addresses.isEmpty());
        }

        boolean isTls() {
            return ssl != null && (ssl.bundle() != null || Boolean.TRUE.equals(ssl.enabled()));
        }
    }

    record Ssl(
            @Nullable Boolean enabled,
            @Nullable String bundle,
            @Nullable Boolean verifyHostname) {}

    /** @param details take precedence over properties, as everywhere in Spring Boot */
    ApplicationConnection<RabbitBroker> connection(RabbitConnections.@Nullable Details details) {
        Settings settings = Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(Settings.class));
        if (details == null && !settings.namesBroker()) {
            return ApplicationConnection.none(PREFIX, "no broker is named");
        }
        for (String name : UNREAD) {
            if (environment.containsProperty(name)) {
                return ApplicationConnection.none(
                        PREFIX,
                        name + " is set, which the outbox reads by way of spring-rabbit alone: use an SSL bundle,"
                                + " spring.rabbitmq.ssl.bundle, or add spring-rabbit");
            }
        }
        ConnectionFactory factory = new ConnectionFactory();
        if (settings.requestedHeartbeat() != null) {
            factory.setRequestedHeartbeat((int) settings.requestedHeartbeat().toSeconds());
        }
        if (settings.connectionTimeout() != null) {
            factory.setConnectionTimeout((int) settings.connectionTimeout().toMillis());
        }
        return details == null ? ofProperties(settings, factory) : ofDetails(details, settings, factory);
    }

    private ApplicationConnection<RabbitBroker> ofDetails(
            RabbitConnections.Details broker, Settings settings, ConnectionFactory factory) {
        logIn(factory, broker.username(), broker.password(), broker.virtualHost());
        if (broker.sslBundle() != null) {
            RabbitTls.use(factory, broker.sslBundle(), verifiesHostname(settings));
        } else if (settings.isTls()) {
            RabbitTls.use(factory, bundle(settings), verifiesHostname(settings));
        }
        return ApplicationConnection.of(
                "the RabbitConnectionDetails bean", new RabbitBroker(factory, broker::addresses));
    }

    private ApplicationConnection<RabbitBroker> ofProperties(Settings settings, ConnectionFactory factory) {
        logIn(factory, settings.username(), settings.password(), settings.virtualHost());
        boolean tls = settings.isTls();
        if (settings.addresses() == null || settings.addresses().isEmpty()) {
            int port = settings.port() == null ? defaultPort(tls) : settings.port();
            return withTls(PREFIX + ".host", settings, factory, tls, List.of(new Address(settings.host(), port)));
        }
        List<Node> nodes =
                settings.addresses().stream().map(text -> Node.of(text, tls)).toList();
        Node first = nodes.get(0);
        logIn(factory, first.username(), first.password(), first.virtualHost());
        return withTls(
                PREFIX + ".addresses",
                settings,
                factory,
                first.tls(),
                nodes.stream().map(Node::address).toList());
    }

    private ApplicationConnection<RabbitBroker> withTls(
            String origin, Settings settings, ConnectionFactory factory, boolean tls, List<Address> addresses) {
        if (tls) {
            RabbitTls.use(factory, bundle(settings), verifiesHostname(settings));
        }
        return ApplicationConnection.of(origin, new RabbitBroker(factory, () -> addresses));
    }

    /** One of {@code spring.rabbitmq.addresses}: {@code amqps://user:password@host:port/vhost}, all but the host optional. */
    private record Node(
            Address address,
            boolean tls,
            @Nullable String username,
            @Nullable String password,
            @Nullable String virtualHost) {
        static Node of(String text, boolean tlsByDefault) {
            boolean tls = text.startsWith(TLS) || (tlsByDefault && !text.startsWith(PLAIN));
            String rest = text.substring(text.indexOf("://") < 0 ? 0 : text.indexOf("://") + 3);
            int at = rest.lastIndexOf('@');
            String[] login = at < 0 ? new String[0] : rest.substring(0, at).split(":", 2);
            String place = rest.substring(at + 1);
            int slash = place.indexOf('/');
            String virtualHost =
                    slash < 0 ? null : place.substring(slash + 1).isEmpty() ? "/" : place.substring(slash + 1);
            Address address = Address.parseAddress(slash < 0 ? place : place.substring(0, slash));
            return new Node(
                    address.getPort() < 0 ? new Address(address.getHost(), defaultPort(tls)) : address,
                    tls,
                    login.length > 0 ? login[0] : null,
                    login.length > 1 ? login[1] : null,
                    virtualHost);
        }
    }

    private @Nullable SslBundle bundle(Settings settings) {
        String name = settings.ssl() == null ? null : settings.ssl().bundle();
        return name == null ? null : bundles.getObject().getBundle(name);
    }

    private static boolean verifiesHostname(Settings settings) {
        return settings.ssl() == null || !Boolean.FALSE.equals(settings.ssl().verifyHostname());
    }

    private static int defaultPort(boolean tls) {
        return tls ? ConnectionFactory.DEFAULT_AMQP_OVER_SSL_PORT : ConnectionFactory.DEFAULT_AMQP_PORT;
    }

    private static void logIn(
            ConnectionFactory factory,
            @Nullable String username,
            @Nullable String password,
            @Nullable String virtualHost) {
        if (username != null) {
            factory.setUsername(username);
        }
        if (password != null) {
            factory.setPassword(password);
        }
        if (virtualHost != null) {
            factory.setVirtualHost(virtualHost);
        }
    }
}
