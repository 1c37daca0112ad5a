package outbox.torture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A key and a certificate for a server, made by the JDK's keytool. */
final class SelfSignedCertificate {
    private static final String PASSWORD = "torture";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

    private SelfSignedCertificate() {}

    /** Writes {@code server.key} and {@code server.crt} into a directory, for its owner alone. */
    static void write(Path directory) throws IOException, InterruptedException {
        Path temporary = Files.createTempDirectory("torture");
        Path store = temporary.resolve("server.p12");
        try {
            generate(store);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            pem(
                    directory,
                    "server.key",
                    "PRIVATE KEY",
                    keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
            pem(
                    directory,
                    "server.crt",
                    "CERTIFICATE",
                    keys.getCertificate("server").getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException("no certificate for " + directory, e);
        } finally {
            Files.deleteIfExists(store);
            Files.deleteIfExists(temporary);
        }
    }

    private static void generate(Path store) throws IOException, InterruptedException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool failed: " + output);
        }
    }

    private static void pem(Path directory, String name, String type, byte[] content) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(
                file,
                "-----BEGIN " + type + "-----\n" + LINES.encodeToString(content) + "\n-----END " + type + "-----\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.setOwner(file, Files.getOwner(directory));
    }
}
