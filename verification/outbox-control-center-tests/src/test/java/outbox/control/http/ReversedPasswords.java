package outbox.control.http;

import outbox.control.access.PasswordHasher;

/** No hash at all: a real one takes its time. */
final class ReversedPasswords implements PasswordHasher {
    @Override
    public String hash(String password) {
        return new StringBuilder(password).reverse().toString();
    }

    @Override
    public boolean matches(String password, String hash) {
        return hash(password).equals(hash);
    }
}
