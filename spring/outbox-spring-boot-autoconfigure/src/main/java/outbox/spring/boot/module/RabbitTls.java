package outbox.spring.boot.module;

import com.rabbitmq.client.ConnectionFactory;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** TLS that checks who answers; RabbitMQ's client alone would trust every certificate. */
final class RabbitTls {
    private RabbitTls() {}

    /** @param bundle {@code null} for the certificates that the JVM trusts */
    static void use(ConnectionFactory factory, @Nullable SslBundle bundle, boolean verifyHostname) {
        try {
            factory.useSslProtocol(bundle == null ? SSLContext.getDefault() : bundle.createSslContext());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
        if (verifyHostname) {
            factory.enableHostnameVerification();
        }
    }
}
