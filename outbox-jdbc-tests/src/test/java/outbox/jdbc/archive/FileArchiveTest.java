package outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileArchiveTest {
    private static final int DATABASES = 8;
    private static final int DAYS = 10;

    @TempDir
    Path directory;

    @Test
    void manyDatabasesMayArchiveTheSameDayToOneDirectory() throws Exception {
        EventArchive archive = EventArchive.inFiles(directory);
        CyclicBarrier together = new CyclicBarrier(DATABASES);
        ExecutorService nodes = Executors.newFixedThreadPool(DATABASES);
        try {
            List<Future<?>> archived = new ArrayList<>();
            for (int i = 0; i < DATABASES; i++) {
                archived.add(nodes.submit(() -> {
                    for (int day = 0; day < DAYS; day++) {
                        try (EventArchive.Volume volume = archive.open("outbox_event-" + day)) {
                            together.await();
                            volume.complete();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : archived) {
                each.get();
            }
        } finally {
            nodes.shutdownNow();
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files)
                    .hasSize(DATABASES * DAYS)
                    .allMatch(file -> file.toString().endsWith(".ndjson.gz"));
        }
    }

    /** Whoever collects the files takes one as soon as it is there. */
    @Test
    void aFileHasAllOfItsContentFromTheMomentItHasItsName() throws Exception {
        EventArchive archive = EventArchive.inFiles(directory);
        ExecutorService collector = Executors.newSingleThreadExecutor();
        try {
            Future<List<Long>> sizes = collector.submit(() -> {
                List<Long> seen = new ArrayList<>();
                for (int day = 0; day < 50; day++) {
                    Path file = directory.resolve("outbox_event-" + day + ".ndjson.gz");
                    while (!Files.exists(file)) {
                        Thread.onSpinWait();
                    }
                    seen.add(Files.size(file));
                }
                return seen;
            });
            for (int day = 0; day < 50; day++) {
                try (EventArchive.Volume volume = archive.open("outbox_event-" + day)) {
                    volume.complete();
                }
            }
            assertThat(sizes.get(60, TimeUnit.SECONDS)).hasSize(50).allMatch(size -> size > 0);
        } finally {
            collector.shutdownNow();
        }
    }
}
