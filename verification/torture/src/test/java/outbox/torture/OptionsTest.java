package outbox.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OptionsTest {
    @Test
    void withoutArgumentsAllCasesRunOnPostgres() {
        Options options = Options.parse(new String[0]);
        assertThat(options.databases()).containsExactly("postgresql");
        assertThat(options.cases()).isEqualTo(Cases.ALL);
    }

    @Test
    void casesAreChosenByName() {
        Options options = Options.parse(new String[] {"--cases", "burst,healthy", "--db", "mysql,mariadb"});
        assertThat(options.cases()).extracting(TortureCase::name).containsExactly("burst", "healthy");
        assertThat(options.databases()).containsExactly("mysql", "mariadb");
    }

    @Test
    void failoverCasesRunWhenAskedForAsAWholeOrByName() {
        assertThat(Options.parse(new String[] {"--failover", "--db", "mariadb"}).cases())
                .isEqualTo(Cases.FAILOVER);
        assertThat(Options.parse(new String[] {"--cases", "failover-sync"}).cases())
                .extracting(TortureCase::name)
                .containsExactly("failover-sync");
    }

    @Test
    void groupsOfCasesRunWhenAskedFor() {
        assertThat(Options.parse(new String[] {"--upgrade"}).cases()).isEqualTo(Cases.UPGRADE);
        assertThat(Options.parse(new String[] {"--scale-out"}).cases()).isEqualTo(Cases.SCALE_OUT);
    }

    @Test
    void whatIsUnknownIsAnsweredWithTheUsage() {
        for (String[] wrong : new String[][] {
            {"--help"}, {"--db", "oracle"}, {"--failover", "--db", "mysql"}, {"--cases", "x"}, {"--cases"}
        }) {
            assertThatThrownBy(() -> Options.parse(wrong))
                    .as(String.join(" ", wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("./torture")
                    .hasMessageContaining("kill-node")
                    .hasMessageContaining("failover-sync");
        }
    }

    @Test
    void everyCaseHasANameOfItsOwn() {
        List<String> names = Stream.of(Cases.Group.values())
                .flatMap(group -> group.cases().stream())
                .map(TortureCase::name)
                .toList();
        assertThat(new HashSet<>(names)).hasSameSizeAs(names);
    }
}
