package outbox.spring.boot.properties;

/** The actuator endpoint. */
public class EndpointProperties {
    /** Whether it can replay, skip and park events. */
    private boolean writes;

    /** Whether it shows payloads and headers. */
    private boolean payloads;

    public boolean isWrites() {
        return writes;
    }

    public void setWrites(boolean writes) {
        this.writes = writes;
    }

    public boolean isPayloads() {
        return payloads;
    }

    public void setPayloads(boolean payloads) {
        this.payloads = payloads;
    }
}
