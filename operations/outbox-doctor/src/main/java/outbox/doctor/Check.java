package outbox.doctor;

import java.sql.SQLException;
import java.util.List;

/**
 * One check.
 *
 * @param what its name, for the list of checks that could not run
 */
record Check(String what, Look look) {
    /** Runs the check and adds findings. */
    @FunctionalInterface
    interface Look {
        List<Finding> at(Examination examination) throws SQLException;
    }
}
