package outbox.torture;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

/**
 * The disk of a database server that forgets what was not synced when the power fails. A library that is preloaded into the
 * server, {@code unsynced_writes.c}, keeps a journal of what each write replaces. When the server has been killed, all writes
 * after the last sync of their file are taken back. Names of files and directories are durable at once. Not thread-safe.
 */
final class LossyDisk {
    private static final String SOURCE = "verification/torture/src/main/c/unsynced_writes.c";
    private static final int HEAD_BYTES = 32;

    private final Path library;
    private final Path journal;

    /** What a write replaced. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Replaced(long at, long offset, long oldSize, byte[] data) {}

    private LossyDisk(Path library, Path journal) {
        this.library = library;
        this.journal = journal;
    }

    /**
     * Compiles the library, and makes sure that it works.
     *
     * @param source the directory of this repository
     */
    static LossyDisk prepare(Path source) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("outbox-lossy-disk-");
        Files.setPosixFilePermissions(
                directory, PosixFilePermissions.fromString("rwxrwxrwx")); // a server of another user
        Path library = directory.resolve("unsynced_writes.so");
        run(List.of(
                "cc",
                "-shared",
                "-fPIC",
                "-O2",
                "-pthread",
                "-o",
                library.toString(),
                source.resolve(SOURCE).toString()));
        LossyDisk disk = new LossyDisk(library, directory.resolve("journal"));
        disk.check(directory);
        return disk;
    }

    private static void run(List<String> words) throws IOException, InterruptedException {
        if (new ProcessBuilder(words).inheritIO().start().waitFor() != 0) {
            throw new IOException("failed: " + String.join(" ", words));
        }
    }

    /** A file of which one write was synced, and one was not. */
    private void check(Path directory) throws IOException, InterruptedException {
        Path file = directory.resolve("check");
        Files.writeString(file, "aaaaaaaa");
        ProcessBuilder shell = new ProcessBuilder(
                "sh",
                "-c",
                "printf bb | dd of=check bs=2 conv=notrunc,fsync status=none;"
                        + " printf cccccccccc | dd of=check bs=10 conv=notrunc status=none");
        shell.directory(directory.toFile());
        shell.environment().putAll(environment());
        if (shell.start().waitFor() != 0 || !Files.readString(file).equals("cccccccccc")) {
            throw new IOException("the writes of the check failed");
        }
        takeBack();
        if (!Files.readString(file).equals("bbaaaaaa")) {
            throw new IOException("unsynced writes are not taken back: " + Files.readString(file));
        }
    }

    private Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "OUTBOX_UNSYNCED_JOURNAL", journal.toString());
    }

    /** Options of a server on this disk. */
    ServerOptions of(ServerOptions options) {
        ServerOptions result = options;
        for (Map.Entry<String, String> variable : environment().entrySet()) {
            result = result.withEnvironment(variable.getKey(), variable.getValue());
        }
        return result;
    }

    /**
     * Kills the server, takes back what was not synced, and starts the server again.
     *
     * @return how many bytes were taken back
     */
    long losePower(EmbeddedServer server) throws IOException {
        server.kill();
        long bytes = takeBack();
        server.start();
        return bytes;
    }

    private long takeBack() throws IOException {
        Map<String, List<Replaced>> unsynced = new HashMap<>();
        try (InputStream file = Files.newInputStream(journal);
                DataInputStream in = new DataInputStream(new BufferedInputStream(file, 1 << 20))) {
            long at = 0;
            while (true) {
                byte[] bytes = in.readNBytes(HEAD_BYTES);
                if (bytes.length < HEAD_BYTES) {
                    break; // the last record may be cut: its write was not made
                }
                ByteBuffer head = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
                char type = (char) head.get(0);
                int pathLength = head.getInt(4);
                int toLength = head.getInt(8);
                int dataLength = head.getInt(12);
                String path = new String(in.readNBytes(pathLength), StandardCharsets.UTF_8);
                String to = new String(in.readNBytes(toLength), StandardCharsets.UTF_8);
                byte[] data = in.readNBytes(dataLength);
                if (data.length < dataLength) {
                    break;
                }
                long offset = head.getLong(16);
                switch (type) {
                    case 'W' ->
                        unsynced.computeIfAbsent(path, key -> new ArrayList<>())
                                .add(new Replaced(at, offset, head.getLong(24), data));
                    case 'S' -> unsynced.getOrDefault(path, new ArrayList<>()).removeIf(each -> each.at() < offset);
                    case 'R' -> {
                        List<Replaced> moved = unsynced.remove(path);
                        unsynced.remove(to);
                        if (moved != null) {
                            unsynced.put(to, moved);
                        }
                    }
                    case 'U' -> unsynced.remove(path);
                    default -> throw new EOFException("not a journal: " + type);
                }
                at += HEAD_BYTES + pathLength + toLength + (long) dataLength;
            }
        }
        Files.delete(journal);
        long bytes = 0;
        for (Map.Entry<String, List<Replaced>> file : unsynced.entrySet()) {
            bytes += takeBack(Path.of(file.getKey()), file.getValue());
        }
        return bytes;
    }

    private static long takeBack(Path path, List<Replaced> writes) throws IOException {
        if (!Files.exists(path)) {
            return 0;
        }
        long bytes = 0;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            for (int i = writes.size() - 1; i >= 0; i--) {
                Replaced write = writes.get(i);
                bytes += Math.max(write.data().length, file.size() - write.oldSize());
                ByteBuffer data = ByteBuffer.wrap(write.data());
                while (data.hasRemaining()) {
                    file.write(data, write.offset() + data.position());
                }
                if (file.size() > write.oldSize()) {
                    file.truncate(write.oldSize());
                }
            }
        }
        return bytes;
    }
}
