package outbox.control.access;

/** Hashes passwords for storage, slowly enough to make guessing expensive. Thread-safe. */
public interface PasswordHasher {
    String hash(String password);

    boolean matches(String password, String hash);
}
