package outbox.control.access;

/** Turns passwords into what may be stored, slowly enough that guessing does not pay. Thread-safe. */
public interface PasswordHasher {
    String hash(String password);

    boolean matches(String password, String hash);
}
