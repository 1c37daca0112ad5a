package outbox.domain;

/** Names of headers that writers set and readers look for. */
public final class EventHeaders {
    /** The version of the payload's shape, a decimal number. */
    public static final String VERSION = "eventVersion";

    public static final String TENANT_ID = "tenantId";
    public static final String TRACE_ID = "traceId";
    public static final String REQUEST_ID = "requestId";
    /** Who did it. */
    public static final String OPERATOR = "operator";

    private EventHeaders() {}
}
