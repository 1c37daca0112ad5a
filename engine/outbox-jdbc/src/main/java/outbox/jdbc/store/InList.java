package outbox.jdbc.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * Ids for {@code IN (?, ?, …)}. Lists are padded to one of a few sizes by repeating the last id, so that few statement
 * texts are needed and statement caches work. Sorted, so that statements lock the same rows in the same order.
 */
record InList(List<String> ids, int size) {
    private static final int[] SIZES = {1, 4, 16, 64, 256};
    static final int LARGEST = SIZES[SIZES.length - 1];

    static InList of(Collection<String> ids) {
        List<String> sorted = List.copyOf(new TreeSet<>(ids));
        return new InList(sorted, paddedSize(sorted.size()));
    }

    /** Lists of at most {@code most} ids each. */
    static List<InList> split(Collection<String> ids, int most) {
        List<String> sorted = List.copyOf(new TreeSet<>(ids));
        List<InList> lists = new ArrayList<>();
        for (int from = 0; from < sorted.size(); from += most) {
            lists.add(of(sorted.subList(from, Math.min(from + most, sorted.size()))));
        }
        return lists;
    }

    static int paddedSize(int count) {
        for (int size : SIZES) {
            if (size >= count) {
                return size;
            }
        }
        throw new IllegalArgumentException(count + " ids in one list, at most " + LARGEST);
    }

    String placeholders() {
        return placeholders(size);
    }

    static String placeholders(int size) {
        return String.join(", ", Collections.nCopies(size, "?"));
    }

    String id(int position) {
        return ids.get(Math.min(position, ids.size() - 1));
    }

    /** @return the index of the next parameter */
    int bind(PreparedStatement statement, int index) throws SQLException {
        for (int i = 0; i < size; i++) {
            statement.setString(index++, id(i));
        }
        return index;
    }
}
