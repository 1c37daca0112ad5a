package outbox.spring.boot.properties;

/** Meters. */
public class MetricsProperties {
    /** Prefix of the names of all meters. */
    private String prefix = "outbox";

    public String getPrefix() {
        return prefix;
    }

    public void setPrefix(String prefix) {
        this.prefix = prefix;
    }
}
