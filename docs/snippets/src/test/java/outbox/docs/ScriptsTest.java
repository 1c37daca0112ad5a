package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.docs.Patience.await;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts of the repository, in a copy of it that has one module and a program in the place of Maven. */
class ScriptsTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", "."))
            .resolve("../..")
            .toAbsolutePath()
            .normalize();

    private static final String REPORT = """
            mkdir -p outbox-a/target/surefire-reports
            cat >outbox-a/target/surefire-reports/TEST-outbox.ATest.xml <<'END'
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="outbox.ATest" time="1" tests="3" errors="%d" skipped="%d" failures="0">
              <testcase name="works" classname="outbox.ATest" time="1"/>
              <testcase name="second" classname="outbox.ATest" time="1">%s</testcase>
              <testcase name="third" classname="outbox.ATest" time="1"/>
            </testsuite>
            END
            """;

    @TempDir
    Path directory;

    private record Run(int exitCode, String output) {
        String lastLine() {
            return output.strip().lines().reduce("", (before, line) -> line);
        }
    }

    @BeforeEach
    void copy() throws IOException {
        for (String script : List.of(
                "test", "demo", "verification/soak", "verification/release-dry-run", "docs/site/build", ".ci/run")) {
            Path copy = directory.resolve(script);
            Files.createDirectories(copy.getParent());
            Files.copy(ROOT.resolve(script), copy);
            makeExecutable(copy);
        }
        Files.writeString(directory.resolve("pom.xml"), """
                <project>
                  <artifactId>outbox-parent</artifactId>
                  <modules>
                    <module>outbox-a</module>
                  </modules>
                </project>
                """);
        Files.createDirectories(directory.resolve("outbox-a"));
        Files.writeString(directory.resolve("outbox-a/pom.xml"), """
                <project>
                  <parent>
                    <artifactId>outbox-parent</artifactId>
                  </parent>
                  <artifactId>outbox-a</artifactId>
                </project>
                """);
        program("apt-get", "exit 100"); // nothing is installed by a test
        program("sudo", "exit 1");
    }

    private void program(String name, String script) throws IOException {
        Path program = directory.resolve("bin").resolve(name);
        Files.createDirectories(program.getParent());
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        makeExecutable(program);
    }

    private static void makeExecutable(Path file) {
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** What Maven prints about one module, and the reports it leaves. */
    private void maven(int exitCode, int errors, int skipped, String second) throws IOException {
        program("mvn", """
                echo "$@" >arguments
                echo '[INFO] Building outbox 1.0.0-SNAPSHOT                  [1/2]'
                echo '[INFO] Building outbox-a 1.0.0-SNAPSHOT                [2/2]'
                %s
                echo '[INFO] --- dependency:3.9.0:analyze-only (declare-what-is-used) @ outbox-a ---'
                exit %d""".formatted(REPORT.formatted(errors, skipped, second), exitCode));
    }

    private Process start(Map<String, String> environment, String... words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile());
        builder.environment().remove("CI");
        builder.environment()
                .merge("PATH", directory.resolve("bin").toString(), (path, bin) -> bin + File.pathSeparator + path);
        builder.environment().putAll(environment);
        return builder.start();
    }

    private Run run(Map<String, String> environment, String... words) throws Exception {
        int exitCode = start(environment, words).waitFor();
        return new Run(exitCode, Files.readString(directory.resolve("output"), StandardCharsets.UTF_8));
    }

    @Test
    void aGreenRunHasALineForEachModuleAndEndsWithTheNumbers() throws Exception {
        maven(0, 0, 0, "");
        Run run = run(Map.of(), "./test");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("mvn verify")
                .contains("Log: target/test-run/maven.log")
                .containsPattern("\\[ 1/ 1] outbox-a +3 tests +\\d+ s  ok");
        assertThat(run.lastLine()).isEqualTo("3 passed, 0 failed");
    }

    @Test
    void modulesThatWereNotBuiltAreNamedBesideRedTests() throws Exception {
        program("mvn", """
                echo '[INFO] Building outbox-a 1.0.0-SNAPSHOT                [1/3]'
                %s
                echo '[INFO] outbox-c ............................... SKIPPED'
                echo '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.6.1:test (default-test) on project outbox-a: There are test failures.'
                echo '[ERROR] Failed to execute goal on project outbox-b: Could not resolve dependencies'
                exit 1""".formatted(REPORT.formatted(1, 0, "<error type='x'>why</error>")));
        Run run = run(Map.of(), "./test");
        assertThat(run.exitCode()).as(run.output()).isEqualTo(1);
        assertThat(run.output())
                .contains(
                        "Not built:",
                        "  Failed to execute goal on project outbox-b: Could not resolve dependencies",
                        "  skipped behind others: outbox-c")
                .doesNotContain("There are test failures");
    }

    @Test
    void onAnotherPlatformItSaysAtOnceWhatIsNotRun() throws Exception {
        maven(0, 0, 0, "");
        program("uname", "case $1 in -s) echo Darwin ;; -m) echo arm64 ;; esac");
        Run run = run(Map.of(), "./test");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("MySQL and MariaDB have no binaries for Darwin arm64: their tests are not run.");
    }

    @Test
    void argumentsReachMavenAlsoFromTheContinuousIntegration() throws Exception {
        maven(0, 0, 0, "");
        assertThat(run(Map.of(), ".ci/run", "-pl", "outbox-a").exitCode()).isZero();
        assertThat(Files.readString(directory.resolve("arguments")))
                .contains(" verify ")
                .contains(" -pl outbox-a");
    }

    @Test
    void aRedTestIsNamedWithTheFileThatSaysWhy() throws Exception {
        maven(1, 1, 0, "<error message=\"no\">trace</error>");
        Run run = run(Map.of(), "./test");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .contains("1 RED")
                .contains("outbox.ATest.second\n    outbox-a/target/surefire-reports/outbox.ATest.txt")
                .contains("All output: target/test-run/maven.log");
        assertThat(run.lastLine()).isEqualTo("2 passed, 1 failed");
    }

    @Test
    void whatWasNotRunIsNamedAndAFailureInContinuousIntegrationOnly() throws Exception {
        maven(0, 0, 1, "<skipped message=\"NOT RUN: needs Chromium; apt-get install chromium\"/>");
        Run run = run(Map.of(), "./test");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains("Not run:\n  1 × needs Chromium; apt-get install chromium");
        assertThat(run.lastLine()).isEqualTo("2 passed, 0 failed");

        assertThat(run(Map.of("CI", "true"), "./test").exitCode()).isEqualTo(1);
    }

    @Test
    void aBuildThatFailsWithoutATestSaysWhatMavenSaid() throws Exception {
        program("mvn", "echo '[ERROR] no such thing'; exit 1");
        Run run = run(Map.of(), "./test");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).contains("Maven failed:\n  [ERROR] no such thing");
    }

    @Test
    void whoeverEndsTheScriptEndsMaven() throws Exception {
        program("mvn", "echo $$ >pid; exec sleep 3600");
        Process script = start(Map.of(), "./test");
        Path pid = directory.resolve("pid");
        await().until(() -> Files.exists(pid) && !Files.readString(pid).isBlank());
        long maven = Long.parseLong(Files.readString(pid).strip());
        script.toHandle().destroy();
        assertThat(script.waitFor()).isEqualTo(143);
        await().until(() ->
                ProcessHandle.of(maven).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Test
    void aPortInUseIsOneSentenceWithTheWayOut() throws Exception {
        program("mvn", "touch called; exit 1");
        try (ServerSocket taken = new ServerSocket(0, 50, InetAddress.getByName("localhost"))) {
            String port = Integer.toString(taken.getLocalPort());
            Run run = run(Map.of("PORT", port), "./demo");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.output())
                    .isEqualTo("Port " + port + " is in use. Choose another one: PORT=" + (taken.getLocalPort() + 1)
                            + " ./demo shop\n");
        }
        assertThat(directory.resolve("called")).doesNotExist();
    }

    @Test
    void theDemoBuildsAndThenBecomesTheSample() throws Exception {
        Files.createDirectories(directory.resolve("samples/outbox-demo/target"));
        Files.writeString(
                directory.resolve("samples/outbox-demo/pom.xml"),
                "<demo.mainClass>outbox.samples.demo.Demo</demo.mainClass>");
        program("mvn", """
                echo "$@" >arguments
                echo '[INFO] Building outbox-core 1.0.0-SNAPSHOT              [1/2]'
                echo lib.jar >samples/outbox-demo/target/classpath.txt""");
        program("java", "echo \"$@\"");
        Run run = run(Map.of("JAVA_HOME", ""), "./demo", "plain", "-o", "-Da=b", "--slowly");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains("[1/2] outbox-core\n");
        assertThat(run.lastLine())
                .isEqualTo("-Da=b -cp samples/outbox-demo/target/classes:lib.jar outbox.samples.demo.Demo --slowly");
        assertThat(Files.readString(directory.resolve("arguments"))).contains(" -o -Da=b");
    }

    @Test
    void eachScriptSaysHowItIsUsed() throws Exception {
        for (String script :
                List.of("test", "demo", "verification/soak", "verification/release-dry-run", "docs/site/build")) {
            Run run = run(Map.of(), "./" + script, "--help");
            assertThat(run.exitCode()).isZero();
            assertThat(run.output()).startsWith("usage: ./" + script);
        }
    }
}
