package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;

import io.debezium.document.Document;
import io.debezium.document.DocumentReader;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Distributed workers of Kafka Connect, each in a JVM of its own, by the file that the docs show. Only addresses differ, the number of
 * copies of its topics, as there is one broker, and where plug-ins are: on the class path of this JVM.
 */
final class ConnectCluster implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Worker> workers = new ArrayList<>();

    record Worker(Process process, String address) {}

    ConnectCluster(String kafka, Path directory, int size) throws IOException {
        try {
            for (int i = 0; i < size; i++) {
                workers.add(start(kafka, directory.resolve("worker-" + i + ".properties")));
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static Worker start(String kafka, Path file) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Properties properties = new Properties();
        try (StringReader reader = new StringReader(
                Files.readString(ConnectFileContract.docs().resolve("kafka-connect/worker.properties")))) {
            properties.load(reader);
        }
        properties.putAll(Map.of(
                "bootstrap.servers", kafka,
                "listeners", "HTTP://127.0.0.1:" + port,
                "config.storage.replication.factor", "1",
                "offset.storage.replication.factor", "1",
                "status.storage.replication.factor", "1",
                "plugin.discovery", "SERVICE_LOAD"));
        properties.remove("plugin.path");
        try (var out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        }
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx384m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.apache.kafka.connect.cli.ConnectDistributed",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/connect-worker.log")))
                .start();
        return new Worker(process, "127.0.0.1:" + port);
    }

    private static URI uri(Worker worker, String path) {
        return URI.create("http://" + worker.address() + path);
    }

    /** Asks the first worker that lives. */
    private Document get(String path) throws Exception {
        Worker worker = workers.stream()
                .filter(each -> each.process().isAlive())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no worker is left, see target/connect-worker.log"));
        HttpResponse<String> answer =
                http.send(HttpRequest.newBuilder(uri(worker, path)).build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() == 200 ? DocumentReader.defaultReader().read(answer.body()) : Document.create();
    }

    /** As soon as all workers answer. */
    void post(String connector) throws Exception {
        for (Worker worker : workers) {
            await().atMost(LIMIT.multipliedBy(2)).ignoreExceptions().until(() -> {
                assertThat(worker.process().isAlive()).isTrue();
                return http.send(
                                        HttpRequest.newBuilder(uri(worker, "/connectors"))
                                                .build(),
                                        HttpResponse.BodyHandlers.discarding())
                                .statusCode()
                        == 200;
            });
        }
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(uri(workers.get(0), "/connectors"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(connector))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }

    /** The worker that runs the task; waits until there is one. */
    Worker workerOfTheTask() {
        return await().atMost(LIMIT.multipliedBy(2))
                .ignoreExceptions()
                .until(this::findWorkerOfTheTask, found -> found != null);
    }

    private Worker findWorkerOfTheTask() throws Exception {
        Document status = get("/connectors/outbox/status");
        if (!status.has("tasks") || status.getArray("tasks").size() == 0) {
            return null;
        }
        Document task = status.getArray("tasks").get(0).asDocument();
        assertThat(task.getString("state")).as(() -> task.getString("trace")).isNotEqualTo("FAILED");
        return workers.stream()
                .filter(worker -> worker.process().isAlive())
                .filter(worker -> worker.address().equals(task.getString("worker_id")))
                .findFirst()
                .orElse(null);
    }

    static void kill(Worker worker) throws InterruptedException {
        worker.process().destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        workers.forEach(worker -> worker.process().destroyForcibly());
        workers.forEach(worker -> worker.process().onExit().join());
    }
}
