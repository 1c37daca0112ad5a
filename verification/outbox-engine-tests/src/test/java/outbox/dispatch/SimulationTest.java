package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many seeded runs of three nodes under faults. A failing seed is named in the message; {@code -Dsimulation.seed=N} runs
 * that one alone, {@code -Dsimulation.trace=true} tells its story, {@code -Dsimulation.seeds=N} sets how many runs each
 * kind gets.
 */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 750);
    private static final Logger ENGINE = Logger.getLogger("outbox");

    @BeforeAll
    static void silenceTheEngine() {
        ENGINE.setLevel(Level.OFF); // it reports every simulated fault
    }

    @AfterAll
    static void letTheEngineSpeakAgain() {
        ENGINE.setLevel(null);
    }

    @ParameterizedTest(name = "ordered={0}, faults={1}")
    @CsvSource({"false,false", "false,true", "true,false", "true,true"})
    void everyPromiseHoldsInEveryRun(boolean ordered, boolean faults) throws Exception {
        Integer only = Integer.getInteger("simulation.seed");
        for (int seed = only == null ? 0 : only; seed < (only == null ? SEEDS : only + 1); seed++) {
            List<String> violations = run(seed, ordered, faults, Set.of());
            if (!violations.isEmpty()) {
                fail("seed " + seed + " (ordered=" + ordered + ", faults=" + faults
                        + ") breaks promises; run it again with -Dsimulation.seed=" + seed + ": " + violations);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutASafeguardAPromiseBreaks(Safeguard safeguard) throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            for (boolean ordered : new boolean[] {false, true}) {
                for (boolean faults : new boolean[] {false, true}) {
                    if (!run(seed, ordered, faults, EnumSet.of(safeguard)).isEmpty()) {
                        return;
                    }
                }
            }
        }
        fail("no run noticed that " + safeguard + " was off");
    }

    @Test
    void theSameSeedGivesTheSameRun() throws Exception {
        Set<Safeguard> off = EnumSet.of(Safeguard.LEASE_CHECK);
        for (int seed = 0; seed < 20; seed++) {
            assertThat(run(seed, false, true, off)).isEqualTo(run(seed, false, true, off));
        }
    }

    private static List<String> run(int seed, boolean ordered, boolean faults, Set<Safeguard> off) throws Exception {
        return new Simulation(seed, ordered, faults, off).run();
    }
}
