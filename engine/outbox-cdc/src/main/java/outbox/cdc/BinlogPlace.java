package outbox.cdc;

import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A place in the binlog, as Debezium writes it down.
 *
 * @param seconds when what is there was committed, since 1970; -1 if unknown
 * @param gtids the transactions up to there, the same on all servers of a cluster; {@code null} if the server counts none
 */
record BinlogPlace(
        String file, long position, long seconds, @Nullable String gtids) implements LogPosition {
    private static final Pattern FILE = Pattern.compile("\"file\":\"([^\"]+)\"");
    private static final Pattern POSITION = Pattern.compile("\"pos\":(\\d+)");
    private static final Pattern SECONDS = Pattern.compile("\"ts_sec\":(\\d+)");
    private static final Pattern GTIDS = Pattern.compile("\"gtids\":\"([^\"]+)\"");

    BinlogPlace(String file, long position) {
        this(file, position, -1, null);
    }

    /** @return {@code null} if there is none in it */
    static @Nullable BinlogPlace parse(@Nullable String offset) {
        String file = find(FILE, offset);
        String position = find(POSITION, offset);
        String seconds = find(SECONDS, offset);
        return file == null || position == null
                ? null
                : new BinlogPlace(
                        file,
                        Long.parseLong(position),
                        seconds == null ? -1 : Long.parseLong(seconds),
                        find(GTIDS, offset));
    }

    private static @Nullable String find(Pattern pattern, @Nullable String offset) {
        Matcher found = pattern.matcher(offset == null ? "" : offset);
        return found.find() ? found.group(1) : null;
    }

    /** Transactions come in the order of their commits, which is the order of the binlog. */
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
     * Whether a MariaDB whose oldest binlog begins with these transactions has removed some that come behind this place.
     *
     * @param oldest for each domain the last one before: {@code domain-server-number}, separated by commas
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
