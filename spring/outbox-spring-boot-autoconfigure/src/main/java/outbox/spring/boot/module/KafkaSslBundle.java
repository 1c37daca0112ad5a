package outbox.spring.boot.module;

import java.security.KeyStore;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/**
 * TLS to Kafka by one of Spring Boot's SSL bundles. Spring Boot has the same for {@code spring-kafka}, in a module that an
 * application without it lacks. Public, because Kafka's client creates it by its name.
 */
public final class KafkaSslBundle implements SslEngineFactory {
    private static final String BUNDLE = KafkaSslBundle.class.getName() + ".bundle";

    private @Nullable SslBundle bundle;

    /** Settings of a Kafka client that uses a bundle. */
    static Map<String, Object> settings(SslBundle bundle) {
        return Map.of(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, KafkaSslBundle.class, BUNDLE, bundle);
    }

    @Override
    public void configure(Map<String, ?> settings) {
        bundle = (SslBundle) settings.get(BUNDLE);
    }

    private SslBundle bundle() {
        return Objects.requireNonNull(bundle, "configure() comes first");
    }

    @Override
    public SSLEngine createClientSslEngine(String peerHost, int peerPort, String endpointIdentification) {
        SSLEngine engine = bundle().createSslContext().createSSLEngine(peerHost, peerPort);
        engine.setUseClientMode(true);
        SslOptions options = bundle().getOptions();
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(endpointIdentification);
        if (options.getCiphers() != null) {
            parameters.setCipherSuites(options.getCiphers());
        }
        if (options.getEnabledProtocols() != null) {
            parameters.setProtocols(options.getEnabledProtocols());
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    @Override
    public SSLEngine createServerSslEngine(String peerHost, int peerPort) {
        throw new UnsupportedOperationException("the outbox is a client of Kafka");
    }

    @Override
    public boolean shouldBeRebuilt(Map<String, Object> next) {
        return !Objects.equals(bundle, next.get(BUNDLE));
    }

    @Override
    public Set<String> reconfigurableConfigs() {
        return Set.of(BUNDLE);
    }

    @Override
    public @Nullable KeyStore keystore() {
        return bundle().getStores().getKeyStore();
    }

    @Override
    public @Nullable KeyStore truststore() {
        return bundle().getStores().getTrustStore();
    }

    @Override
    public void close() {}
}
