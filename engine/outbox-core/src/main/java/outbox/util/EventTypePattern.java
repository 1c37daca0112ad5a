package outbox.util;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A name of event types in which {@code *} stands for any characters: {@code order.*}. Immutable. */
public final class EventTypePattern {
    private final String text;
    private final Pattern pattern;

    public EventTypePattern(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("an event type pattern must not be blank");
        }
        this.text = text;
        this.pattern = Pattern.compile(Arrays.stream(text.split("\\*+", -1))
                .map(part -> part.isEmpty() ? "" : Pattern.quote(part))
                .collect(Collectors.joining(".*")));
    }

    public boolean matches(String eventType) {
        return pattern.matcher(eventType).matches();
    }

    /** Whether there are names that both match. */
    public boolean overlaps(EventTypePattern other) {
        String a = text;
        String b = other.text;
        boolean[][] rest = new boolean[a.length() + 1][b.length() + 1]; // whether what is left of both can be one name
        for (int i = a.length(); i >= 0; i--) {
            for (int j = b.length(); j >= 0; j--) {
                boolean moreA = i < a.length();
                boolean moreB = j < b.length();
                boolean star = (moreA && a.charAt(i) == '*') || (moreB && b.charAt(j) == '*');
                if (star) {
                    rest[i][j] = (moreA && rest[i + 1][j]) || (moreB && rest[i][j + 1]);
                } else if (moreA && moreB) {
                    rest[i][j] = a.charAt(i) == b.charAt(j) && rest[i + 1][j + 1];
                } else {
                    rest[i][j] = !moreA && !moreB;
                }
            }
        }
        return rest[0][0];
    }

    @Override
    public String toString() {
        return text;
    }
}
