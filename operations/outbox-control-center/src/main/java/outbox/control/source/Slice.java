package outbox.control.source;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one query along a walk.
 *
 * @param matches in the order of the walk
 * @param frontier the last row scanned, if there are more after it
 */
record Slice<T>(List<Match<T>> matches, @Nullable Cursor frontier) {

    /** A row and its position. */
    record Match<T>(Cursor at, T row) {}

    List<T> rows() {
        return matches.stream().map(Match::row).toList();
    }
}
