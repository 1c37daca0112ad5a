package outbox.torture;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** What all processes of a case have noted so far; see {@link outbox.torture.worker.LedgerFile}. Thread-safe. */
public final class Ledger {
    private final Path directory;
    private final Map<Path, Long> read = new HashMap<>();
    private final Map<String, Commit> committed = new HashMap<>();
    private final Map<String, Delivery> first = new HashMap<>();
    private final List<Delivery> again = new ArrayList<>();
    private final Set<String> gone = new HashSet<>();

    private record Commit(String node, long at) {}

    /** One successful run of a listener. */
    public record Delivery(String eventId, String node, long begun, long ended) {}

    Ledger(Path directory) {
        this.directory = directory;
    }

    Path file(String node) {
        return directory.resolve(node + ".ledger");
    }

    /** Takes notice of what was noted since the last time. */
    public synchronized void read() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".ledger")).toList()) {
                read(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Path file) throws IOException {
        long from = read.getOrDefault(file, 0L);
        byte[] bytes;
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            bytes = new byte[(int) Math.min(64 << 20, in.length() - from)];
            in.seek(from);
            in.readFully(bytes);
        }
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        read.put(file, from + end);
        String node = file.getFileName().toString().replace(".ledger", "");
        new String(bytes, 0, end, StandardCharsets.US_ASCII).lines().forEach(line -> note(node, line));
    }

    private void note(String node, String line) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("C")) {
            committed.put(words[1], new Commit(node, Long.parseLong(words[2])));
            return;
        }
        Delivery delivery = new Delivery(words[1], node, Long.parseLong(words[2]), Long.parseLong(words[3]));
        Delivery present = first.get(delivery.eventId());
        if (present == null) {
            first.put(delivery.eventId(), delivery);
        } else if (delivery.ended() < present.ended()) {
            first.put(delivery.eventId(), delivery);
            again.add(present);
        } else {
            again.add(delivery);
        }
    }

    /** Events whose commit was noted. */
    synchronized Set<String> committed() {
        return Set.copyOf(committed.keySet());
    }

    /** These events were lost with their primary, or with its power: their delivery is not waited for. */
    synchronized void gone(Set<String> ids) {
        gone.addAll(ids);
    }

    /** The first delivery of each event. */
    public synchronized Map<String, Delivery> first() {
        return Map.copyOf(first);
    }

    /** All further deliveries. */
    public synchronized List<Delivery> again() {
        return List.copyOf(again);
    }

    synchronized int commits() {
        return committed.size();
    }

    synchronized int deliveries() {
        return first.size();
    }

    /** How many deliveries the nodes whose name begins so have made. */
    public synchronized long deliveriesBy(String nodePrefix) {
        return Stream.concat(first.values().stream(), again.stream())
                .filter(delivery -> delivery.node().startsWith(nodePrefix))
                .count();
    }

    /** The longest time between the commit of an event and its first delivery, in nanoseconds. */
    public synchronized long longestWait() {
        long longest = 0;
        for (Map.Entry<String, Commit> commit : committed.entrySet()) {
            Delivery delivery = first.get(commit.getKey());
            if (delivery != null) {
                longest = Math.max(longest, delivery.ended() - commit.getValue().at());
            }
        }
        return longest;
    }

    /** How many events this node committed between these moments, in ticks of {@link System#nanoTime()}. */
    public synchronized long commitsBy(String node, long after, long before) {
        return committed.values().stream()
                .filter(commit -> commit.node().equals(node) && commit.at() > after && commit.at() < before)
                .count();
    }

    /** When the last of the events that were noted as committed until then was delivered; -1 if one is missing. */
    synchronized long allDeliveredAt(long committedUntil) {
        long last = 0;
        for (Map.Entry<String, Commit> commit : committed.entrySet()) {
            if (commit.getValue().at() <= committedUntil && !gone.contains(commit.getKey())) {
                Delivery delivery = first.get(commit.getKey());
                if (delivery == null) {
                    return -1;
                }
                last = Math.max(last, delivery.ended());
            }
        }
        return last;
    }

    /** When the first event that this node committed after that moment was delivered; -1 if there is none. */
    synchronized long worksAgainAt(String node, long after) {
        return committed.entrySet().stream()
                .filter(commit -> commit.getValue().at() > after
                        && commit.getValue().node().equals(node))
                .map(commit -> first.get(commit.getKey()))
                .filter(Objects::nonNull)
                .mapToLong(Delivery::ended)
                .min()
                .orElse(-1);
    }
}
