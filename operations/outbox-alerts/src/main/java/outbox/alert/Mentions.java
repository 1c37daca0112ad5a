package outbox.alert;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Who is mentioned in a message to a chat room, so that it rings. Only a {@link AlertMessage.Kind#PROBLEM problem}
 * mentions people. Immutable.
 *
 * @param mobiles mobile numbers of members of the room
 * @param all everybody in the room
 */
public record Mentions(List<String> mobiles, boolean all) {
    public static final Mentions NONE = new Mentions(List.of(), false);

    private static final Pattern MOBILE = Pattern.compile("\\+?[0-9-]{5,20}");

    /** @throws IllegalArgumentException if one is no mobile number */
    public Mentions {
        mobiles = List.copyOf(mobiles);
        mobiles.stream()
                .filter(mobile -> !MOBILE.matcher(mobile).matches())
                .findFirst()
                .ifPresent(wrong -> {
                    throw new IllegalArgumentException("not a mobile number: '" + wrong + "'");
                });
    }

    Mentions in(AlertMessage message) {
        return message.kind() == AlertMessage.Kind.PROBLEM ? this : NONE;
    }

    /** The numbers as they stand in the text: DingTalk highlights only those. */
    String text() {
        return mobiles.stream().map(mobile -> "\n@" + mobile).collect(Collectors.joining());
    }

    static String array(Stream<String> entries) {
        return entries.map(entry -> '"' + entry + '"').collect(Collectors.joining(",", "[", "]"));
    }
}
