package outbox.spring.boot.properties;

import outbox.jdbc.partition.DailyPartitions;

/** A table of one partition per day. */
public class PartitionProperties {
    /**
     * Whether the table has one partition per day. This application then creates and drops partitions instead of
     * deleting rows.
     */
    private boolean enabled;

    /** Number of days for which partitions are created in advance. */
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
