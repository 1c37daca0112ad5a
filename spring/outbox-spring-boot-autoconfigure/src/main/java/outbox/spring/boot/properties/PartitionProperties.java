package outbox.spring.boot.properties;

import outbox.jdbc.partition.DailyPartitions;

/** A table of one partition per day. */
public class PartitionProperties {
    /** Whether the table is cut into days. This application then makes and drops them, in place of the purge by rows. */
    private boolean enabled;

    /** How many days ahead partitions are made. */
    private int daysAhead = DailyPartitions.DEFAULT_DAYS_AHEAD;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public int getDaysAhead() {
        return daysAhead;
    }

    public void setDaysAhead(int daysAhead) {
        this.daysAhead = daysAhead;
    }
}
