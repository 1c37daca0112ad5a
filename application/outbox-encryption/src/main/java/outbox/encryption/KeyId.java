package outbox.encryption;

import java.util.regex.Pattern;

/** The rule for ids of keys. */
final class KeyId {
    private static final Pattern LEGAL = Pattern.compile("[A-Za-z0-9_:/@-]{1," + KeyProvider.MAX_KEY_ID_LENGTH + "}");

    private KeyId() {}

    static boolean isLegal(String id) {
        return LEGAL.matcher(id).matches();
    }

    static String checked(String id) {
        if (!isLegal(id)) {
            throw new IllegalArgumentException(
                    "'" + id + "' is not a valid key id: only letters, digits and _ : / @ -, at most "
                            + KeyProvider.MAX_KEY_ID_LENGTH);
        }
        return id;
    }
}
