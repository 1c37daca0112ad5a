package outbox.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import outbox.testing.server.InstalledRabbitMq;

/**
 * Every scenario, tiny, on PostgreSQL. The scenarios count what they deliver and fail on a wrong number, so this fails
 * when an engine loses or doubles an event, and when a scenario does not work any more.
 */
class SmokeTest {
    private static BenchServer server;

    @BeforeAll
    static void start() throws Exception {
        server = BenchServer.start(BenchServer.Kind.POSTGRESQL);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @TestFactory
    Stream<DynamicTest> everyScenarioMeasures() {
        return Stream.of(Options.Group.values())
                .flatMap(group -> group.scenarios().stream())
                .filter(scenario -> !scenario.id().contains("rabbitmq") || InstalledRabbitMq.isInstalled())
                .map(scenario -> DynamicTest.dynamicTest(scenario.id(), () -> measures(scenario)));
    }

    private static void measures(Scenario scenario) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        Bench bench = new Bench(server, Scale.smoke(), new PrintStream(lines, true, StandardCharsets.UTF_8));
        Result result = Runner.once(bench).run(List.of(scenario)).get(0);
        assertThat(result.notAvailable())
                .as(lines.toString(StandardCharsets.UTF_8))
                .isNull();
        assertThat(result.metrics()).isNotEmpty();
        for (String metric : result.metrics()) {
            assertThat(result.rounds(metric)).as(metric).hasSize(1).allMatch(value -> value >= 0);
        }
    }
}
