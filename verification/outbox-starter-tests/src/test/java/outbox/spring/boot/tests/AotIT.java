package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application with named instances and all modules, processed ahead of time as Spring Boot's build plugins do, then run. */
class AotIT {
    @TempDir
    Path directory;

    @Test
    void namedInstancesAndAllModulesSurviveAheadOfTimeProcessing() throws Exception {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Path sources = Files.createDirectories(directory.resolve("sources"));
        Path resources = Files.createDirectories(directory.resolve("resources"));
        Path classes = Files.createDirectories(directory.resolve("classes"));
        java(
                classPath,
                List.of(),
                "org.springframework.boot.SpringApplicationAotProcessor",
                AotApp.class.getName(),
                sources.toString(),
                resources.toString(),
                classes.toString(),
                "dev.outbox",
                "aot-test");

        compile(sources, classes, classPath);
        String all = String.join(File.pathSeparator, classes.toString(), resources.toString(), classPath);
        assertThat(java(all, List.of("-Dspring.aot.enabled=true"), AotApp.class.getName()))
                .contains(AotApp.DELIVERED + " beside kafka messaging rabbitmq webhook-crm");
    }

    private static void compile(Path sources, Path classes, String classPath) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("-nowarn", "-d", classes.toString(), "-cp", classes + File.pathSeparator + classPath));
        try (Stream<Path> files = Files.walk(sources)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(file -> arguments.add(file.toString()));
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private String java(String classPath, List<String> options, String... arguments) throws Exception {
        Path log = directory.resolve("log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(10, TimeUnit.MINUTES);
        process.destroyForcibly();
        String output = Files.readString(log);
        assertThat(ended && process.exitValue() == 0).as(output).isTrue();
        return output;
    }
}
