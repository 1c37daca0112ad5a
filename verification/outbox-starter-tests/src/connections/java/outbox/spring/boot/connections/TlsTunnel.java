package outbox.spring.boot.connections;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** TLS in front of a server that has none, with a certificate for 127.0.0.1 that nobody trusts but the bundle. */
final class TlsTunnel implements AutoCloseable {
    private static final String PASSWORD = "for-tests-only";
    private static final Path KEYS = keys();

    private final int target;
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger handshakes = new AtomicInteger();

    private TlsTunnel(int target) throws IOException, GeneralSecurityException {
        this.target = target;
        this.server = context().getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    static TlsTunnel to(int port) {
        try {
            return new TlsTunnel(port);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    int port() {
        return server.getLocalPort();
    }

    /** Clients that accepted the certificate. */
    int handshakes() {
        return handshakes.get();
    }

    /** Properties of an SSL bundle that trusts the certificate. */
    static String[] bundle(String name) {
        return trustStore("spring.ssl.bundle.jks." + name + ".truststore.");
    }

    /** @param prefix of location, password and type */
    static String[] trustStore(String prefix) {
        return new String[] {prefix + "location=file:" + KEYS, prefix + "password=" + PASSWORD, prefix + "type=PKCS12"};
    }

    private static SSLContext context() throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(KEYS)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    /** A key pair, and its certificate as an entry that can be trusted. */
    private static Path keys() {
        try {
            Path directory = Files.createTempDirectory("outbox-tls");
            Path file = directory.resolve("keys.p12");
            keytool(
                    "-genkeypair",
                    file,
                    "-alias",
                    "server",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=tunnel",
                    "-ext",
                    "san=ip:127.0.0.1,dns:localhost");
            Path certificate = directory.resolve("server.cer");
            keytool("-exportcert", file, "-alias", "server", "-file", certificate.toString());
            keytool("-importcert", file, "-alias", "trusted", "-noprompt", "-file", certificate.toString());
            directory.toFile().deleteOnExit();
            certificate.toFile().deleteOnExit();
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void keytool(String command, Path store, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                command,
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
        line.addAll(List.of(arguments));
        Process process = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (process.waitFor() != 0) {
                throw new IOException("keytool failed: " + line);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                sockets.add(client);
                start(() -> serve((SSLSocket) client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(SSLSocket client) {
        try (client) {
            client.startHandshake();
            try (Socket broker = new Socket(InetAddress.getLoopbackAddress(), target)) {
                sockets.add(broker);
                Thread back = start(() -> pump(broker, client, false));
                pump(client, broker, true);
                back.join();
            }
        } catch (IOException e) {
            // the client did not like the certificate, or went away
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param counts whether the first byte is a client's: it has accepted the certificate then */
    private void pump(Socket from, Socket to, boolean counts) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            boolean first = counts;
            for (int n = in.read(bytes); n > 0; n = in.read(bytes)) {
                if (first) {
                    handshakes.incrementAndGet();
                    first = false;
                }
                out.write(bytes, 0, n);
                out.flush();
            }
            to.close();
        } catch (IOException e) {
            closeQuietly(to);
        }
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work, "tls-tunnel");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is of no use any more
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        sockets.forEach(TlsTunnel::closeQuietly);
    }
}
