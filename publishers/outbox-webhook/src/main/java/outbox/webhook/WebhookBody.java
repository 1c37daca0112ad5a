package outbox.webhook;

/** Format of a webhook's body. The signature covers the whole body, and no other headers. */
public enum WebhookBody {
    /**
     * {@code {"type":…,"timestamp":…,"data":…}} as the Standard Webhooks specification recommends: the event's type,
     * when it occurred, its payload.
     */
    STANDARD,

    /** The payload alone, as it is. */
    PAYLOAD,

    /** CloudEvents 1.0, binary mode: the payload alone, the event's attributes in headers {@code ce-…}. */
    CLOUDEVENTS_BINARY,

    /** CloudEvents 1.0, structured mode: attributes and payload in one JSON object. */
    CLOUDEVENTS_STRUCTURED;

    boolean isCloudEvent() {
        return this == CLOUDEVENTS_BINARY || this == CLOUDEVENTS_STRUCTURED;
    }
}
