package outbox.cdc;

import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A position in the binlog, as Debezium stores it in its offset.
 *
 * @param seconds commit time of the change at this position, in seconds since 1970; -1 if unknown
 * @param gtids GTIDs of the transactions up to this position, the same on all servers of a cluster; {@code null} if the
 *     server has no GTIDs
 */
record BinlogPosition(
        String file, long position, long seconds, @Nullable String gtids) implements LogPosition {
    private static final Pattern FILE = Pattern.compile("\"file\":\"([^\"]+)\"");
    private static final Pattern POSITION = Pattern.compile("\"pos\":(\\d+)");
    private static final Pattern SECONDS = Pattern.compile("\"ts_sec\":(\\d+)");
    private static final Pattern GTIDS = Pattern.compile("\"gtids\":\"([^\"]+)\"");

    BinlogPosition(String file, long position) {
        this(file, position, -1, null);
    }

    /** @return {@code null} if the offset holds no position */
    static @Nullable BinlogPosition parse(@Nullable String offset) {
        String file = find(FILE, offset);
        String position = find(POSITION, offset);
        String seconds = find(SECONDS, offset);
        return file == null || position == null
                ? null
                : new BinlogPosition(
                        file,
                        Long.parseLong(position),
                        seconds == null ? -1 : Long.parseLong(seconds),
                        find(GTIDS, offset));
    }

    private static @Nullable String find(Pattern pattern, @Nullable String offset) {
        Matcher found = pattern.matcher(offset == null ? "" : offset);
        return found.find() ? found.group(1) : null;
    }

    /** Transactions are in the binlog in the order of their commits. */
    @Override
    public boolean isReachedBy(Map<String, ?> sourceOffset) {
        if (!(sourceOffset.get("file") instanceof String otherFile)
                || !(sourceOffset.get("pos") instanceof Number otherPosition)) {
            return false;
        }
        long files = numberOf(otherFile) - numberOf(file);
        return files > 0 || (files == 0 && otherPosition.longValue() >= position);
    }

    private static long numberOf(String file) {
        return Long.parseLong(file.substring(file.lastIndexOf('.') + 1));
    }

    /**
     * Whether a MariaDB server whose oldest binlog begins after these transactions has purged some that follow this
     * position.
     *
     * @param oldest the last transaction before the oldest binlog, for each domain: {@code domain-server-number},
     *     separated by commas
     */
    boolean isBefore(String oldest) {
        Map<String, Long> read = numbersByDomain(gtids == null ? "" : gtids);
        return numbersByDomain(oldest).entrySet().stream()
                .anyMatch(domain -> read.getOrDefault(domain.getKey(), 0L) < domain.getValue());
    }

    private static Map<String, Long> numbersByDomain(String gtids) {
        return Arrays.stream(gtids.split(","))
                .map(gtid -> gtid.strip().split("-"))
                .filter(parts -> parts.length == 3)
                .collect(Collectors.toMap(parts -> parts[0], parts -> Long.parseLong(parts[2]), Math::max));
    }
}
