package outbox.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;
import outbox.torture.worker.WorkerMain;

/** One life of a worker, seen from outside. Thread-safe. */
public final class WorkerProcess {
    private static final Duration ANSWER = Duration.ofSeconds(90);
    private static final Set<WorkerProcess> ALIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ALIVE.forEach(WorkerProcess::kill), "end-workers"));
    }

    private final String name;
    private final NodeSettings settings;
    private final Process process;
    private final OutputStream commands;
    private final List<String> answers = new ArrayList<>(); // guarded by itself

    private WorkerProcess(NodeSettings settings, Process process) {
        this.name = settings.text(Setting.NODE);
        this.settings = settings;
        this.process = process;
        this.commands = process.getOutputStream();
        Thread reader = new Thread(this::read, "answers of " + name);
        reader.setDaemon(true);
        reader.start();
        ALIVE.add(this);
        var unused = process.onExit().thenRun(() -> ALIVE.remove(this));
    }

    static WorkerProcess start(Version version, NodeSettings settings, Path log, List<String> jvmOptions)
            throws IOException {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx256m"));
        words.addAll(jvmOptions);
        words.addAll(List.of("-cp", version.classPath(), WorkerMain.class.getName()));
        words.addAll(settings.toArguments());
        return new WorkerProcess(
                settings, new ProcessBuilder(words).redirectError(log.toFile()).start());
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (answers) {
                    answers.add(line);
                    answers.notifyAll();
                }
            }
        } catch (IOException e) {
            // the process is gone, and with it the other end
        }
    }

    public String name() {
        return name;
    }

    public NodeSettings settings() {
        return settings;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a command and does not wait for what becomes of it. */
    public void tell(String command) {
        try {
            commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
            commands.flush();
        } catch (IOException e) {
            throw new IllegalStateException(name + " does not take commands any more: " + command, e);
        }
    }

    /** How long its threads have run on a processor so far. */
    public Duration cpu() {
        return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** How often the node has asked the database for due rows so far. */
    public long claims() throws InterruptedException {
        tell("claims");
        long claims = Long.parseLong(await(line -> line.startsWith("CLAIMS ")).substring("CLAIMS ".length()));
        awaitDone("claims");
        return claims;
    }

    /** Sends a command and waits until it is done. */
    public void order(String command) throws InterruptedException {
        tell(command);
        awaitDone(command);
    }

    public void awaitDone(String command) throws InterruptedException {
        if (await(line -> line.equals("DONE " + command) || line.equals("FAILED " + command))
                .startsWith("FAILED")) {
            throw new IllegalStateException(name + " failed: " + command);
        }
    }

    /** Whether the worker has come up and was not waited for yet. One that never will is an error. */
    public boolean isReady() {
        synchronized (answers) {
            if (answers.isEmpty() && !process.isAlive()) {
                throw new IllegalStateException(name + " has ended before it was ready; see its log");
            }
            return answers.contains("READY");
        }
    }

    void awaitReady() throws InterruptedException {
        await("READY"::equals);
    }

    /** Waits until a thread of the worker is held at a kill point. */
    public void awaitHeld() throws InterruptedException {
        await(line -> line.startsWith("AT "));
    }

    private String await(Predicate<String> wanted) throws InterruptedException {
        long end = System.nanoTime() + ANSWER.toNanos();
        synchronized (answers) {
            while (true) {
                for (String line : answers) {
                    if (wanted.test(line)) {
                        answers.remove(line);
                        return line;
                    }
                }
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0 || (!process.isAlive() && answers.isEmpty())) {
                    throw new IllegalStateException(
                            name + (process.isAlive() ? " does not answer" : " has ended") + "; see its log");
                }
                answers.wait(Math.min(left, 200));
            }
        }
    }

    /** SIGKILL: no hook runs, nothing is flushed. Returns when the process is gone. */
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** SIGSTOP: every thread freezes, connections stay open. */
    public void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT. */
    public void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    /** SIGTERM. @return how long the end took, or a negative number if it did not come in time */
    public long terminate(Duration atMost) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        signal("TERM"); // Process.destroy() would close the pipes too, and with them end the worker
        boolean ended = process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
        if (!ended) {
            kill();
            return -1;
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }

    private void signal(String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-s", signal, Long.toString(process.pid()))
                .start()
                .waitFor();
    }
}
