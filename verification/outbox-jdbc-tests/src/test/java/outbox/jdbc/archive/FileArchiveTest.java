package outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.jdbc.archive.FlawedFiles.Flaw;

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

    private static void archive(Path directory) throws Exception {
        try (EventArchive.Volume volume = EventArchive.inFiles(directory).open("outbox_event-1")) {
            volume.complete();
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** Names are given by links, and where there are none by moves. */
    @ParameterizedTest
    @EnumSource(
            value = Flaw.class,
            names = {"NO_LINKS", "NO_MOVES"})
    void aFileThatIsThereIsLeftAsItIsAndTheNextNumberTaken(Flaw flaw) throws Exception {
        Path earlier = Files.writeString(directory.resolve("outbox_event-1.ndjson.gz"), "earlier");
        archive(FlawedFiles.in(directory, flaw));
        archive(FlawedFiles.in(directory, flaw));

        assertThat(earlier).hasContent("earlier");
        assertThat(names())
                .containsExactlyInAnyOrder(
                        "outbox_event-1.ndjson.gz", "outbox_event-1-2.ndjson.gz", "outbox_event-1-3.ndjson.gz");
        assertThat(directory.resolve("outbox_event-1-2.ndjson.gz")).isNotEmptyFile();
        assertThat(directory.resolve("outbox_event-1-3.ndjson.gz")).isNotEmptyFile();
    }

    /** Who reported a failure here would archive the same rows again with every purge. */
    @Test
    void aFileIsCompleteThoughItsUnfinishedNameCanNotBeRemoved() throws Exception {
        archive(FlawedFiles.in(directory, Flaw.NO_DELETIONS));

        assertThat(names()).hasSize(2).contains("outbox_event-1.ndjson.gz").anyMatch(name -> name.endsWith(".part"));
        assertThat(directory.resolve("outbox_event-1.ndjson.gz")).isNotEmptyFile();
    }

    @Test
    void aFileThatGetsNoNameLeavesNothingBehind() throws Exception {
        Path flawed = FlawedFiles.in(directory, Flaw.NO_LINKS, Flaw.NO_MOVES);
        assertThatThrownBy(() -> archive(flawed)).hasMessageContaining("NO_MOVES");

        assertThat(names()).isEmpty();
    }
}
