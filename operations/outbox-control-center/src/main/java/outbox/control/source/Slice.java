package outbox.control.source;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one look along a walk brought.
 *
 * @param matches in the order of the walk
 * @param frontier the last row looked at, if there are more behind it
 */
record Slice<T>(List<Match<T>> matches, @Nullable Cursor frontier) {

    /** What was read of a row, and where that row is. */
    record Match<T>(Cursor at, T row) {}

    List<T> rows() {
        return matches.stream().map(Match::row).toList();
    }
}
