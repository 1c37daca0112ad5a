package outbox.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.model.SystemConfig;

/**
 * Apache Qpid inside this JVM, in memory. It speaks AMQP 0-9-1 with RabbitMQ's confirms; it is not RabbitMQ. Its harm is
 * done by a proxy in front of it, since it could not be stopped without its clients.
 */
final class QpidBroker implements AmqpBroker {
    private final Path directory;
    private final SystemLauncher launcher;
    private final StallingProxy proxy;

    private QpidBroker(Path directory, SystemLauncher launcher, int port) {
        this.directory = directory;
        this.launcher = launcher;
        this.proxy = new StallingProxy(port);
    }

    static QpidBroker start() {
        try {
            Path directory = Files.createTempDirectory("outbox-qpid");
            Map<String, Object> attributes = new HashMap<>();
            attributes.put(SystemConfig.TYPE, "Memory");
            attributes.put(
                    SystemConfig.INITIAL_CONFIGURATION_LOCATION,
                    QpidBroker.class.getResource("qpid.json").toString());
            attributes.put(SystemConfig.STARTUP_LOGGED_TO_SYSTEM_OUT, false);
            int port = FreePort.find();
            attributes.put(
                    SystemConfig.CONTEXT,
                    Map.of("qpid.work_dir", directory.toString(), "qpid.amqp_port", Integer.toString(port)));
            SystemLauncher launcher = new SystemLauncher();
            launcher.startup(attributes);
            return new QpidBroker(directory, launcher, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException("Qpid did not start", e);
        }
    }

    @Override
    public ConnectionFactory factory() {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(proxy.port());
        return factory;
    }

    @Override
    public void pause() {
        proxy.stall(true);
    }

    @Override
    public void resume() {
        proxy.stall(false);
    }

    @Override
    public void restart() {
        proxy.shut();
        Pause.seconds(2);
        proxy.open();
    }

    @Override
    public void close() {
        proxy.close();
        launcher.shutdown();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
