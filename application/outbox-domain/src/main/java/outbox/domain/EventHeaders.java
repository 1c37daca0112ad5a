package outbox.domain;

/** Names of common headers. */
public final class EventHeaders {
    /** The version of the payload, a decimal number. */
    public static final String VERSION = "eventVersion";

    public static final String TENANT_ID = "tenantId";
    public static final String TRACE_ID = "traceId";
    public static final String REQUEST_ID = "requestId";
    /** The user who caused the event. */
    public static final String OPERATOR = "operator";

    private EventHeaders() {}
}
