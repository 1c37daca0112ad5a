package outbox.testing.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Stands in for the two system libraries MySQL is linked with and does not need: {@code libaio.so.1}, unused under
 * {@code innodb_use_native_aio=0}, and {@code libnuma.so.1}, unused unless memory is to be interleaved. The stubs say
 * that the feature is missing. Their source lies beside them in the resources. A library the system has is preferred.
 */
final class SystemLibraryStubs {

    private static final List<String> LIBRARIES = List.of("libaio.so.1", "libnuma.so.1");

    private SystemLibraryStubs() {}

    /** Returns what must be added to the environment for the program to find all its libraries. */
    static Map<String, String> environmentFor(Path program, Path home) {
        List<String> missing = missingLibraries(program);
        if (missing.isEmpty()) {
            return Map.of();
        }
        Path directory = home.resolveSibling(home.getFileName() + "-stubs-" + String.join("-", missing));
        install(missing, directory);
        String inherited = System.getenv("LD_LIBRARY_PATH");
        return Map.of("LD_LIBRARY_PATH", inherited == null ? directory.toString() : directory + ":" + inherited);
    }

    /** Asks the dynamic loader itself, which alone knows where libraries may lie. */
    private static List<String> missingLibraries(Path program) {
        List<String> missing = new ArrayList<>();
        try {
            ProcessBuilder builder = new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true);
            // Makes the loader list the libraries instead of running the program, as ldd does.
            builder.environment().put("LD_TRACE_LOADED_OBJECTS", "1");
            Process process = builder.start();
            try (InputStream output = process.getInputStream()) {
                for (String line : new String(output.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .toList()) {
                    if (line.contains("not found")) {
                        LIBRARIES.stream().filter(line::contains).forEach(missing::add);
                    }
                }
            }
            return missing;
        } catch (IOException e) {
            throw new UncheckedIOException(program + " cannot be asked for its libraries", e);
        }
    }

    static void install(List<String> libraries, Path directory) {
        libraries.forEach(library -> install(library, directory));
    }

    private static void install(String library, Path directory) {
        try (InputStream stub = SystemLibraryStubs.class.getResourceAsStream("stubs/" + library)) {
            if (stub == null) {
                throw new IllegalStateException("The stub for " + library + " is missing from outbox-testing");
            }
            Files.createDirectories(directory);
            // Written aside and renamed: another JVM may be loading the file under its final name.
            Path fresh = Files.createTempFile(directory, library, ".new");
            Files.copy(stub, fresh, StandardCopyOption.REPLACE_EXISTING);
            Files.move(fresh, directory.resolve(library), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("The stub for " + library + " cannot be installed", e);
        }
    }
}
