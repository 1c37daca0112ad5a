package outbox.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
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
    void whatIsUnknownIsAnsweredWithTheUsage() {
        for (String[] wrong : new String[][] {{"--help"}, {"--db", "oracle"}, {"--cases", "x"}, {"--cases"}}) {
            assertThatThrownBy(() -> Options.parse(wrong))
                    .as(String.join(" ", wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("./torture")
                    .hasMessageContaining("kill-node");
        }
    }

    @Test
    void everyCaseHasANameOfItsOwn() {
        List<String> names = Cases.ALL.stream().map(TortureCase::name).toList();
        assertThat(new HashSet<>(names)).hasSameSizeAs(names);
    }
}
