package outbox.benchmark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Which versions of the contenders the build took. Stateless. */
public final class Versions {
    private Versions() {}

    /** @param contender see {@link Contender#id()} */
    public static String of(String contender) {
        Properties versions = new Properties();
        try (InputStream file = Versions.class.getResourceAsStream("peers.properties")) {
            versions.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return versions.getProperty(contender, "of unknown version");
    }
}
