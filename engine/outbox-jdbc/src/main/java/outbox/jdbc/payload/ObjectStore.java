package outbox.jdbc.payload;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/**
 * Stores bodies of payloads outside of the database: files ({@link FileObjectStore}), or objects in a cloud. An object is
 * written once, under a new key, before the transaction of its event commits. Objects whose transaction rolled back are
 * deleted at once, or by the {@link PayloadSweep} if the process died. Each event table needs a store, a bucket or a
 * directory of its own: the sweep deletes what its table does not know. Thread-safe.
 */
public interface ObjectStore {
    /** A short name, stored with each event: letters, digits, dashes and underscores. */
    String name();

    /**
     * Stores an object. When this returns, the object survives a crash.
     *
     * @param key letters and digits, new for each object; sorts by the time of the call
     */
    void put(String key, InputStream body) throws IOException;

    /** @throws java.nio.file.NoSuchFileException if there is no such object, now and later */
    InputStream open(String key) throws IOException;

    /** Does nothing if there is no such object. */
    void delete(String key) throws IOException;

    /**
     * Gives each key to the consumer, in any order; also those that {@link #put} did not complete. The consumer deletes
     * objects meanwhile.
     */
    void forEachKey(Consumer<String> keys) throws IOException;
}
