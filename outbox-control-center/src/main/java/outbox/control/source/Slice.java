package outbox.control.source;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one look along a walk brought.
 *
 * @param matches in the order of the walk
 * @param frontier the last row looked at, if there are more behind it
 */
record Slice(List<Cursor> matches, @Nullable Cursor frontier) {}
