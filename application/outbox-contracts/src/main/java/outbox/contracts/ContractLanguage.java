package outbox.contracts;

/**
 * A language of contracts besides JSON Schema. Implementations are found by {@link java.util.ServiceLoader}: those of
 * {@code outbox-avro} and {@code outbox-protobuf} are on the class path with their module. Thread-safe.
 */
public interface ContractLanguage {
    /** The extension of its files, in lower case and without the dot. */
    String extension();

    /** @throws IllegalArgumentException if the file is no such schema; the message says why */
    ContractSchema parse(byte[] file);
}
