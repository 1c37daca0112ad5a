package outbox.kafka;

/** Format of Kafka records. In all formats the key is the aggregate id, and event headers are included. */
public enum KafkaFormat {
    /**
     * The format of Debezium's outbox event router: the payload as value, the event id in the header {@code id}, the
     * event type in {@code eventType}.
     */
    DEBEZIUM,

    /** CloudEvents 1.0, binary mode: the payload as value, attributes in headers {@code ce_…}. */
    CLOUDEVENTS_BINARY,

    /** CloudEvents 1.0, structured mode: attributes and payload in one JSON object. */
    CLOUDEVENTS_STRUCTURED
}
