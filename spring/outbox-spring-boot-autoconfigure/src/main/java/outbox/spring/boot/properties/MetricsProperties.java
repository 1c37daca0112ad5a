package outbox.spring.boot.properties;

/** Meters. */
public class MetricsProperties {
    /** Prefix of the names of all meters. */
    private String prefix = "outbox";

    /**
     * Whether to register the meters outbox_pending_total, outbox_retry_total, outbox_failed_permanent_total and
     * outbox_dispatch_latency_ms too, for dashboards that expect these names. The gauge outbox.pending is not registered
     * then, because Prometheus would take both for one metric.
     */
    private boolean totals;

    public String getPrefix() {
        return prefix;
    }

    public void setPrefix(String prefix) {
        this.prefix = prefix;
    }

    public boolean isTotals() {
        return totals;
    }

    public void setTotals(boolean totals) {
        this.totals = totals;
    }
}
