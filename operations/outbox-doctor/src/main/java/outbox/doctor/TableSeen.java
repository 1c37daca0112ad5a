package outbox.doctor;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table as the catalog of its database has it, or as the shipped DDL would make it.
 *
 * @param columns empty if there is no such table
 * @param partitioned cut into parts, which are purged as a whole
 */
record TableSeen(List<Column> columns, List<Index> indexes, boolean partitioned) {
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    /**
     * @param type in lower case, without length
     * @param length of characters, or digits of a second; {@code null} where there is none
     * @param filledIn whether an insert that does not name the column gets a value
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
     * @param statuses the values of {@code status} it holds rows of; {@code null} if it holds all rows
     * @param usable {@code false} for one that a failed build left behind, or that was switched off
     * @param reads how often it was read since the statistics began; {@code null} if the database does not count
     */
    record Index(
            String name,
            List<String> columns,
            @Nullable Set<Integer> statuses,
            boolean unique,
            boolean usable,
            @Nullable Long reads,
            @Nullable String ddl) {

        /** Whether queries that were made for the other index run as well on this one. */
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
