package outbox.control.source;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Identifies failures with the same cause: error class, message without the parts that vary between events, and the
 * first stack frame of the application, without its line number. Errors are stored with their root cause first, so
 * wrapping exceptions make no difference.
 *
 * @param frame {@code null} if the stored error has no stack
 */
public record ErrorSignature(
        String errorClass, String message, @Nullable String frame) {
    private static final int MAX_MESSAGE = 300;
    private static final Pattern HEAD = Pattern.compile("^([\\w$.]+)(?::\\s?(.*))?$");
    /** {@code in} is the first frame of the application, where another one is on top. */
    private static final Pattern FRAME = Pattern.compile("^\\s*(?:at|in) ([^\\s(]+)\\(");
    /** Patterns of variable parts, the longest first, so that no part of one is matched by another. */
    private static final Pattern[] CHANGING = {
        Pattern.compile("\\b\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d)?"),
        Pattern.compile("\\b[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\b"),
        Pattern.compile("\\b[0-9A-HJKMNP-TV-Z]{26}\\b"),
        Pattern.compile("\\b\\d{1,3}(\\.\\d{1,3}){3}(:\\d+)?\\b"),
        Pattern.compile("@[0-9a-f]{4,}\\b"),
        Pattern.compile("\\b(?=[0-9a-fA-F]*\\d)[0-9a-fA-F]{12,}\\b"),
        Pattern.compile("\\d+")
    };

    /** @param stored an error as the engine stores it, with or without its stack */
    public static ErrorSignature of(@Nullable String stored) {
        if (stored == null || stored.isBlank()) {
            return new ErrorSignature("(unknown)", "", null);
        }
        String[] lines = stored.split("\n", -1);
        Matcher head = HEAD.matcher(lines[0].strip());
        boolean named = head.matches() && looksLikeAClass(head.group(1));
        String errorClass = named ? head.group(1) : "(text)";
        String message = named ? head.group(2) : lines[0].strip();
        return new ErrorSignature(errorClass, normalised(message == null ? "" : message), topFrame(lines));
    }

    private static boolean looksLikeAClass(String name) {
        return name.indexOf('.') > 0 || name.endsWith("Exception") || name.endsWith("Error");
    }

    private static @Nullable String topFrame(String[] lines) {
        for (String line : lines) {
            Matcher frame = FRAME.matcher(line);
            if (frame.find()) {
                String name = frame.group(1);
                return name.substring(name.lastIndexOf('/') + 1); // without the module name
            }
        }
        return null;
    }

    private static String normalised(String message) {
        String text = message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) : message;
        for (Pattern changing : CHANGING) {
            text = changing.matcher(text).replaceAll("#");
        }
        return text;
    }

    /** A short hash, for URLs. */
    public String id() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest((errorClass + "\n" + message + "\n" + frame).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
