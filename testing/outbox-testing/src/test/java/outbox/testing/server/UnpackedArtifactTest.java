package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnpackedArtifactTest {

    /** Any small jar on the class path will do. */
    private static final UnpackedArtifact ARTIFACT =
            new UnpackedArtifact(DatabaseKind.H2, "org/tukaani/xz/XZ.class", "org.tukaani:xz");

    @Test
    void aMissingArtifactIsNamedWithItsCoordinatesAndTheWayAround() {
        UnpackedArtifact missing = new UnpackedArtifact(DatabaseKind.MARIADB, "no/such/file", "some.group:server:1.0");

        assertThatThrownBy(() -> missing.tree("", List.of("")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("MariaDB")
                .hasMessageContaining("some.group:server:1.0")
                .hasMessageContaining("outbox.test.mariadb.url");
    }

    @Test
    void filesAreUnpackedOnceAndAgainWhenOneIsMissing() throws IOException {
        Path first = unpack();
        Path wanted = first.resolve("XZ.class");
        assertThat(wanted).isNotEmptyFile();
        Object identity = Files.getAttribute(wanted, "unix:ino");

        assertThat(unpack()).isEqualTo(first);
        assertThat(Files.getAttribute(wanted, "unix:ino")).isEqualTo(identity);

        Files.delete(wanted);
        assertThat(unpack()).isEqualTo(first);
        assertThat(wanted).isNotEmptyFile();
        ServerDirectory.deleteTree(first);
    }

    private static Path unpack() {
        return ARTIFACT.tree("org/tukaani/xz/", List.of("XZ"));
    }
}
