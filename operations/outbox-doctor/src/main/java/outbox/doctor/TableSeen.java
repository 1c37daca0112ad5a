package outbox.doctor;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table as found in the database catalog, or as defined by the shipped DDL.
 *
 * @param columns empty if there is no such table
 * @param partitioned whether it is partitioned, and purged by partition
 */
record TableSeen(List<Column> columns, List<Index> indexes, boolean partitioned) {
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    /**
     * @param type in lower case, without length
     * @param length in characters, or fractional digits of a time; {@code null} if there is none
     * @param filledIn whether the column has a default or is generated
     */
    record Column(
            String name,
            String type,
            @Nullable Integer length,
            boolean nullable,
            boolean filledIn,
            @Nullable String collation,
            @Nullable String charset) {

        String typeText() {
            return length == null ? type : type + "(" + length + ")";
        }
    }

    /**
     * @param statuses the values of {@code status} in a partial index; {@code null} if it contains all rows
     * @param usable {@code false} if its build failed or it is disabled
     * @param reads number of reads since the statistics were reset; {@code null} if the database does not count them
     */
    record Index(
            String name,
            List<String> columns,
            @Nullable Set<Integer> statuses,
            boolean unique,
            boolean usable,
            @Nullable Long reads,
            @Nullable String ddl) {

        /** Whether this index serves the queries of the other one equally well. */
        boolean serves(Index wanted) {
            return usable && startsAs(wanted) && (statuses == null || holds(wanted.statuses));
        }

        private boolean startsAs(Index wanted) {
            return starts(columns, wanted.columns)
                    || (!columns.isEmpty()
                            && columns.get(0).equals("status")
                            && starts(columns.subList(1, columns.size()), wanted.columns));
        }

        private boolean holds(@Nullable Set<Integer> wanted) {
            return wanted != null && statuses != null && statuses.containsAll(wanted);
        }

        private static boolean starts(List<String> columns, List<String> wanted) {
            return columns.size() >= wanted.size()
                    && columns.subList(0, wanted.size()).equals(wanted);
        }
    }

    /** The values in a condition on {@code status}; {@code null} for no condition. */
    static @Nullable Set<Integer> statuses(@Nullable String condition) {
        if (condition == null) {
            return null;
        }
        Set<Integer> values = new TreeSet<>();
        Matcher numbers = NUMBER.matcher(condition);
        while (numbers.find()) {
            values.add(Integer.valueOf(numbers.group()));
        }
        return values;
    }

    boolean isMissing() {
        return columns.isEmpty();
    }

    @Nullable
    Column column(String name) {
        return columns.stream()
                .filter(column -> column.name().equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElse(null);
    }
}
