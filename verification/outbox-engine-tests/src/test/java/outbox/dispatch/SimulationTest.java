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

    @ParameterizedTest(name = "ordered={0}, faults={1}, hostile={2}")
    @CsvSource({
        "false,false,false",
        "false,true,false",
        "true,false,false",
        "true,true,false",
        "false,false,true",
        "false,true,true",
        "true,false,true",
        "true,true,true"
    })
    void everyPromiseHoldsInEveryRun(boolean ordered, boolean faults, boolean hostile) {
        Integer only = Integer.getInteger("simulation.seed");
        int seeds = hostile ? SEEDS / 5 : SEEDS; // such a run takes five times as long
        for (int seed = only == null ? 0 : only; seed < (only == null ? seeds : only + 1); seed++) {
            List<String> violations = new Simulation(seed, ordered, faults, hostile, Set.of()).run();
            if (!violations.isEmpty()) {
                fail("seed " + seed + " (ordered=" + ordered + ", faults=" + faults + ", hostile=" + hostile
                        + ") breaks promises; run it again with -Dsimulation.seed=" + seed + ": " + violations);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutASafeguardAPromiseBreaks(Safeguard safeguard) {
        boolean[] both = {false, true};
        for (int seed = 0; seed < SEEDS; seed++) {
            for (boolean ordered : both) {
                for (boolean faults : both) {
                    for (boolean hostile : both) {
                        Simulation run = new Simulation(seed, ordered, faults, hostile, EnumSet.of(safeguard));
                        if (!run.run().isEmpty()) {
                            return;
                        }
                    }
                }
            }
        }
        fail("no run noticed that " + safeguard + " was off");
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Set<Safeguard> off = EnumSet.of(Safeguard.LEASE_CHECK);
        for (int seed = 0; seed < 20; seed++) {
            boolean hostile = seed % 2 == 0;
            assertThat(new Simulation(seed, false, true, hostile, off).run())
                    .isEqualTo(new Simulation(seed, false, true, hostile, off).run());
        }
    }
}
