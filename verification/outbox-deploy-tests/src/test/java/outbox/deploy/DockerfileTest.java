package outbox.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What can be seen without a build of the image; verification/image-check builds and runs it. */
class DockerfileTest {

    static String argument(String name) throws IOException {
        Matcher argument = Pattern.compile("(?m)^ARG " + name + "=(.*)$").matcher(text());
        assertThat(argument.find()).as("ARG %s", name).isTrue();
        return argument.group(1);
    }

    private static String text() throws IOException {
        return Files.readString(DeployFiles.DOCKERFILE);
    }

    @Test
    void programDoesNotRunAsRootAndReceivesSignals() throws IOException {
        String last = text().substring(text().lastIndexOf("\nFROM "));
        Matcher user = Pattern.compile("(?m)^USER (\\d+):(\\d+)$").matcher(last);
        assertThat(user.find()).as("a numeric user, which Kubernetes can check").isTrue();
        assertThat(Integer.parseInt(user.group(1))).isGreaterThan(1000);
        assertThat(user.end()).isLessThan(last.indexOf("\nENTRYPOINT [\"java\""));
        assertThat(last).contains("\nHEALTHCHECK ").doesNotContain("USER root");
    }

    @Test
    void whatChangesOftenIsInTheLastLayer() throws IOException {
        assertThat(Pattern.compile("COPY --from=jar /jar/layers/([a-z-]+)/")
                        .matcher(text())
                        .results()
                        .map(layer -> layer.group(1)))
                .containsExactly("dependencies", "spring-boot-loader", "snapshot-dependencies", "application");
    }

    @Test
    void everyFileThatIsCopiedExistsAndIsNotIgnored() throws IOException {
        List<String> allowed = Files.readAllLines(DeployFiles.DIRECTORY.resolve("Dockerfile.dockerignore")).stream()
                .filter(line -> line.startsWith("!"))
                .map(line -> line.substring(1))
                .toList();
        for (String script : List.of("operations/deploy/healthy")) {
            assertThat(text()).contains(script);
            assertThat(allowed).contains(script);
            assertThat(DeployFiles.ROOT.resolve(script)).isExecutable();
        }
        assertThat(DeployFiles.MODULES).containsValue(argument("MODULE"));
        for (String module : DeployFiles.MODULES.values()) {
            String name = module.substring(module.lastIndexOf('/') + 1);
            Path jar = Path.of(module, "target", name + "-1.0.0-exec.jar");
            assertThat(allowed)
                    .anyMatch(pattern -> FileSystems.getDefault()
                            .getPathMatcher("glob:" + pattern)
                            .matches(jar));
            assertThat(DeployFiles.ROOT.resolve(module).resolve("pom.xml"))
                    .content()
                    .contains("<goal>repackage</goal>", "<classifier>exec</classifier>");
        }
    }
}
