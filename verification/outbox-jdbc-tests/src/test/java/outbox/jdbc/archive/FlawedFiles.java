package outbox.jdbc.archive;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import java.util.Set;

/** The files of this machine, of which some things cannot be done; what an archive does not ask for is not there. */
final class FlawedFiles extends FileSystemProvider {
    /** What fails. */
    enum Flaw {
        NO_LINKS,
        NO_MOVES,
        NO_DELETIONS
    }

    private final FileSystemProvider files;
    private final Set<Flaw> flaws;
    private final FileSystem system = new Flawed();

    private FlawedFiles(FileSystemProvider files, Set<Flaw> flaws) {
        this.files = files;
        this.flaws = flaws;
    }

    /** The same directory, seen through these flaws. */
    static Path in(Path directory, Flaw... flaws) {
        return new FlawedFiles(directory.getFileSystem().provider(), Set.of(flaws)).flawed(directory);
    }

    private Path flawed(Path path) {
        return (Path) Proxy.newProxyInstance(
                FlawedFiles.class.getClassLoader(),
                new Class<?>[] {Path.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "getFileSystem" -> system;
                    case "toAbsolutePath" -> flawed(path.toAbsolutePath());
                    case "resolve" -> flawed(path.resolve((String) args[0]));
                    default -> method.invoke(path, args);
                });
    }

    private static Path sound(Path path) {
        return Path.of(path.toString());
    }

    private void fail(Flaw flaw, Path path) throws FileSystemException {
        if (flaws.contains(flaw)) {
            throw new FileSystemException(path.toString(), null, "simulated: " + flaw);
        }
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        fail(Flaw.NO_LINKS, link);
        files.createLink(sound(link), sound(existing));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        fail(Flaw.NO_MOVES, source);
        files.move(sound(source), sound(target), options);
    }

    @Override
    public void delete(Path path) throws IOException {
        fail(Flaw.NO_DELETIONS, path);
        files.delete(sound(path));
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return files.newFileChannel(sound(path), options, attributes);
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return files.newByteChannel(sound(path), options, attributes);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return files.readAttributes(sound(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return files.readAttributes(sound(path), attributes, options);
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        files.checkAccess(sound(path), modes);
    }

    @Override
    public String getScheme() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Path getPath(URI uri) {
        throw new UnsupportedOperationException();
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isSameFile(Path path, Path other) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isHidden(Path path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileStore getFileStore(Path path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
        throw new UnsupportedOperationException();
    }

    /** Only says whose it is. */
    private final class Flawed extends FileSystem {
        @Override
        public FileSystemProvider provider() {
            return FlawedFiles.this;
        }

        @Override
        public void close() {}

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public String getSeparator() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Path getPath(String first, String... more) {
            throw new UnsupportedOperationException();
        }

        @Override
        public PathMatcher getPathMatcher(String syntaxAndPattern) {
            throw new UnsupportedOperationException();
        }

        @Override
        public UserPrincipalLookupService getUserPrincipalLookupService() {
            throw new UnsupportedOperationException();
        }

        @Override
        public WatchService newWatchService() {
            throw new UnsupportedOperationException();
        }
    }
}
