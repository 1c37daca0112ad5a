package outbox.doctor;

import java.sql.SQLException;
import java.util.List;

/**
 * One thing to look at.
 *
 * @param what for the list of what could not be looked at
 */
record Check(String what, Look look) {
    /** Looks, and says what is wrong. */
    @FunctionalInterface
    interface Look {
        List<Finding> at(Examination examination) throws SQLException;
    }
}
