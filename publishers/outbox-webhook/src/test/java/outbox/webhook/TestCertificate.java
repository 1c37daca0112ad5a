package outbox.webhook;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key pair made for this JVM by the JDK's own tool, valid for {@code hooks.test} and trusted by nobody else. */
final class TestCertificate {
    private static final SSLContext CONTEXT = create();

    private TestCertificate() {}

    /** Serves with the certificate and trusts it. */
    static SSLContext sslContext() {
        return CONTEXT;
    }

    private static SSLContext create() {
        try {
            Path directory = Files.createTempDirectory("outbox-webhook-certificate");
            Path keys = directory.resolve("keys.p12");
            String password = Long.toHexString(System.nanoTime()) + "-test";
            Process keytool = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "hooks",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=hooks.test",
                            "-ext",
                            "san=dns:hooks.test",
                            "-keystore",
                            keys.toString(),
                            "-storetype",
                            "PKCS12",
                            "-storepass",
                            password))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (keytool.waitFor() != 0) {
                throw new IllegalStateException("keytool failed");
            }
            KeyStore own = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(keys)) {
                own.load(in, password.toCharArray());
            }
            Files.delete(keys);
            Files.delete(directory);
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("hooks", own.getCertificate("hooks"));
            KeyManagerFactory serving = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            serving.init(own, password.toCharArray());
            TrustManagerFactory trusting = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusting.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(serving.getKeyManagers(), trusting.getTrustManagers(), null);
            return context;
        } catch (Exception e) {
            throw new IllegalStateException("no certificate for tests", e);
        }
    }
}
