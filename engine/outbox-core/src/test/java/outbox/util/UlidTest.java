package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class UlidTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final Ulid ulids = new Ulid(now::get);

    @Test
    void idsOfOneMillisecondSortAsTheyWereMade() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            ids.add(ulids.generate());
        }
        assertThat(ids).isSorted().doesNotHaveDuplicates().allMatch(id -> id.length() == 26);
    }

    @Test
    void aClockThatGoesBackALittleDoesNotBreakTheOrder() {
        String first = ulids.generate();
        now.set(now.get().minusSeconds(10));
        String second = ulids.generate();
        now.set(now.get().plusSeconds(20));
        String third = ulids.generate();

        assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void theTimeIsInTheFirstTenCharacters() {
        now.set(Instant.ofEpochMilli(1469918176385L));
        assertThat(ulids.generate()).startsWith("01ARYZ6S41");
    }

    @Test
    void bytesAndTextAreTheSameId() {
        for (int i = 0; i < 1000; i++) {
            String id = ulids.generate();
            assertThat(Ulid.fromBytes(Ulid.toBytes(id))).isEqualTo(id);
        }
        assertThat(Ulid.toBytes("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")).containsOnly(0xFF);
        assertThatIllegalArgumentException().isThrownBy(() -> Ulid.toBytes("8ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
        assertThatIllegalArgumentException().isThrownBy(() -> Ulid.toBytes("0000000000000000000000000U"));
        assertThatIllegalArgumentException().isThrownBy(() -> Ulid.fromBytes(new byte[15]));
    }

    @Test
    void manyThreadsNeverGetTheSameIdAndEachSeesThemGrow() throws Exception {
        Set<String> all = ConcurrentHashMap.newKeySet();
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            Callable<Boolean> grows = () -> {
                String last = "";
                for (int i = 0; i < 20_000; i++) {
                    String id = Ulid.next();
                    if (id.compareTo(last) <= 0 || !all.add(id)) {
                        return false;
                    }
                    last = id;
                }
                return true;
            };
            for (Future<Boolean> result : pool.invokeAll(java.util.Collections.nCopies(8, grows))) {
                assertThat(result.get()).isTrue();
            }
        } finally {
            pool.shutdown();
        }
        assertThat(all).hasSize(160_000);
    }

    @Test
    void theTimePrefixPartsIdsOfThatMillisecondFromEarlierOnes() {
        Instant midnight = Instant.parse("2026-11-16T00:00:00Z");
        String bound = Ulid.timePrefix(midnight);
        assertThat(bound).hasSize(10);
        for (int i = 0; i < 1000; i++) {
            assertThat(new Ulid(() -> midnight).generate()).isGreaterThan(bound);
            assertThat(new Ulid(() -> midnight.minusMillis(1)).generate()).isLessThan(bound);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Ulid.timePrefix(Instant.EPOCH.minusMillis(1)));
    }

    @Test
    void aClockThatJumpedAheadAndReturnedIsFollowedAgain() {
        Instant right = now.get();
        now.set(right.plus(Duration.ofDays(30)));
        ulids.generate();
        now.set(right.plusSeconds(1));
        List<String> ids = List.of(ulids.generate(), ulids.generate(), ulids.generate());

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(ids).allMatch(id -> id.startsWith(Ulid.timePrefix(now.get())));
    }

    @Test
    void afterASmallStepBackIdsAreNeverFurtherAheadThanThatStep() {
        Instant ahead = now.get();
        String last = ulids.generate();
        for (long back = 0; back <= Ulid.MAX_STEP_BACK.toMillis(); back += 100) {
            now.set(ahead.minusMillis(back));
            String next = ulids.generate();
            assertThat(next).isGreaterThan(last).startsWith(Ulid.timePrefix(ahead));
            last = next;
        }
        now.set(ahead.minus(Ulid.MAX_STEP_BACK).minusMillis(1));
        assertThat(ulids.generate()).startsWith(Ulid.timePrefix(now.get()));
    }
}
