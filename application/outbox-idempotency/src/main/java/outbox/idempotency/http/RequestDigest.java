package outbox.idempotency.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A SHA-256 of the parts of a request, each with its length, so that they cannot be shifted into one another. Not
 * thread-safe.
 */
public final class RequestDigest {
    private static final int READABLE = 40;
    private static final int SHORT_BYTES = 16;
    private static final int BUFFER = 8192;

    private final MessageDigest digest;

    public RequestDigest() {
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    public RequestDigest add(String part) {
        return add(part.getBytes(StandardCharsets.UTF_8));
    }

    public RequestDigest add(byte[] part) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        digest.update(part);
        return this;
    }

    /** Reads all of it, without keeping it in memory. */
    public RequestDigest add(InputStream part) throws IOException {
        RequestDigest content = new RequestDigest();
        byte[] buffer = new byte[BUFFER];
        for (int read = part.read(buffer); read >= 0; read = part.read(buffer)) {
            content.digest.update(buffer, 0, read);
        }
        return add(content.digest.digest());
    }

    /** The 64 hexadecimal digits; once. */
    public String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * The scope of a key in the table: the beginning of the endpoint's scope, for people, and a hash of all of it and of
     * the caller.
     */
    public static String scope(String scope, String caller) {
        byte[] hash = new RequestDigest().add(scope).add(caller).digest.digest();
        String text = Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, SHORT_BYTES));
        return scope.substring(0, Math.min(READABLE, scope.length())).strip() + "#" + text;
    }
}
