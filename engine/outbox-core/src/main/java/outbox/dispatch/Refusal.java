package outbox.dispatch;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What a database said when it did not write an outcome. */
final class Refusal {
    private static final int LONGEST_NAME = 80;

    private Refusal() {}

    private static @Nullable SQLException sqlException(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }

    /** State and code if it was the database, in ASCII. */
    static String describe(Throwable failure) {
        SQLException sql = sqlException(failure);
        return sql == null
                ? ascii(failure.getClass().getName())
                : "SQLState " + ascii(String.valueOf(sql.getSQLState())) + ", error " + sql.getErrorCode();
    }

    /**
     * What is stored in place of an error text that the database refused: short, in ASCII, with the class of the exception
     * that the text begins with.
     */
    static String noteInPlaceOf(String error, Throwable failure) {
        int end = 0;
        while (end < error.length() && end < LONGEST_NAME && isPartOfName(error.charAt(end))) {
            end++;
        }
        return error.substring(0, end) + " (the database refused the text of this error: " + describe(failure) + ")";
    }

    private static boolean isPartOfName(char c) {
        return c < 128 && (Character.isJavaIdentifierPart(c) || c == '.') && c > ' ';
    }

    private static String ascii(String text) {
        String printable = text.replaceAll("[^ -~]", "?");
        return printable.substring(0, Math.min(LONGEST_NAME, printable.length()));
    }
}
