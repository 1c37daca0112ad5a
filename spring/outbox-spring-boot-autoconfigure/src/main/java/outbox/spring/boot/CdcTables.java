package outbox.spring.boot;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import outbox.cdc.CdcSchema;

/** The tables of a CDC relay; a separate class, because {@code outbox-cdc} is optional. */
final class CdcTables {
    private static final Pattern NAME = Pattern.compile("CREATE TABLE (\\w+)");

    private CdcTables() {}

    static List<OutboxTable> of(String database) {
        return CdcSchema.of(database).statements().stream()
                .map(sql -> new OutboxTable(nameIn(sql), "it holds the state of the relay of outbox.cdc", List.of(sql)))
                .toList();
    }

    private static String nameIn(String sql) {
        Matcher matcher = NAME.matcher(sql);
        if (!matcher.find()) {
            throw new IllegalStateException("no table in: " + sql);
        }
        return matcher.group(1);
    }
}
