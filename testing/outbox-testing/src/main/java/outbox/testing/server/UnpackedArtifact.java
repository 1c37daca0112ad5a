package outbox.testing.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * The program files of a server, unpacked from a Maven artifact on the class path.
 *
 * <p>All JVMs of a user share one copy per version: unpacking takes longer than starting the server.
 */
final class UnpackedArtifact {

    /** To be changed when other files are unpacked from the same artifact, or in another way. */
    private static final int LAYOUT = 1;

    private final ServerKind kind;
    private final String resource;
    private final String coordinates;

    UnpackedArtifact(ServerKind kind, String resource, String coordinates) {
        this.kind = kind;
        this.resource = resource;
        this.coordinates = coordinates;
    }

    /** Fills an empty directory from the connection to the resource. */
    interface Unpacking {
        void unpack(JarURLConnection resource, Path target) throws IOException;
    }

    /** Decompresses the content of a tar archive. */
    interface Decompression {
        InputStream decompress(InputStream compressed) throws IOException;
    }

    /** The resource is a compressed tar archive. */
    Path archive(Decompression decompression) {
        return unpacked((connection, target) -> {
            try (InputStream compressed = new BufferedInputStream(connection.getInputStream());
                    InputStream tar = decompression.decompress(compressed)) {
                extractTar(tar, target);
            }
        });
    }

    /** The resource is one file of many; those below the root whose names begin like one of the parts are wanted. */
    Path tree(String root, List<String> parts) {
        return unpacked((connection, target) -> {
            JarFile jar = connection.getJarFile();
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                String name = entry.getName();
                if (!entry.isDirectory() && parts.stream().anyMatch(part -> name.startsWith(root + part))) {
                    copy(
                            jar,
                            entry,
                            target.resolve(name.substring(root.length())).normalize(),
                            target);
                }
            }
        });
    }

    /** The resource is the program itself, one file. */
    Path program() {
        String name = resource.substring(resource.lastIndexOf('/') + 1);
        return unpacked((connection, target) -> copy(
                        connection.getJarFile(),
                        connection.getJarEntry(),
                        target.resolve("bin").resolve(name),
                        target))
                .resolve("bin")
                .resolve(name);
    }

    private Path unpacked(Unpacking unpacking) {
        JarURLConnection connection = open();
        try {
            JarEntry entry = connection.getJarEntry();
            String name = kind.id() + "-" + Long.toHexString(entry.getCrc()) + "-" + entry.getSize() + "-" + LAYOUT;
            return SharedFiles.get(name, target -> unpacking.unpack(connection, target));
        } catch (IOException e) {
            throw new UncheckedIOException(kind.title() + " cannot be unpacked from " + connection.getURL(), e);
        }
    }

    private JarURLConnection open() {
        try {
            URL url = UnpackedArtifact.class.getClassLoader().getResource(resource);
            if (url == null) {
                throw new IllegalStateException("The program files of " + kind.title() + " (" + resource
                        + ") are not on the class path. Add " + coordinates + " in test scope, or name a server that"
                        + " already runs by the system property " + kind.property() + ".url.");
            }
            URLConnection connection = url.openConnection();
            if (connection instanceof JarURLConnection jar) {
                jar.setUseCaches(false);
                return jar;
            }
            throw new IllegalStateException(
                    url + " is not inside a jar file; " + coordinates + " is expected as a jar");
        } catch (IOException e) {
            throw new UncheckedIOException(resource + " cannot be read", e);
        }
    }

    private static void copy(JarFile jar, JarEntry entry, Path file, Path target) throws IOException {
        if (!file.startsWith(target)) {
            throw new IOException(entry.getName() + " leaves the directory it is unpacked into");
        }
        @Nullable Path parent = file.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try (InputStream content = jar.getInputStream(entry)) {
            Files.copy(content, file);
        }
        // A jar keeps no modes.
        if (target.relativize(file).startsWith("bin") && !file.toFile().setExecutable(true, false)) {
            throw new IOException(file + " cannot be made executable");
        }
    }

    /** Leaves links, modes and long names to the tar of the system, which every system with these servers has. */
    private static void extractTar(InputStream tar, Path target) throws IOException {
        Process process = new ProcessBuilder("tar", "-x", "-o", "-f", "-", "-C", target.toString())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
        try (OutputStream input = process.getOutputStream()) {
            tar.transferTo(input);
        }
        try {
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new IOException("tar ended with exit code " + exitCode);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while tar was running", e);
        }
    }
}
