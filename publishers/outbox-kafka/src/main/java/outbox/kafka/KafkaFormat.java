package outbox.kafka;

/** How an event looks as a Kafka record. The key is the aggregate id in all of them, and its headers go along. */
public enum KafkaFormat {
    /**
     * What consumers of Debezium's outbox event router expect: the payload as value, the event id in the header
     * {@code id}, the event type in {@code eventType}.
     */
    DEBEZIUM,

    /** CloudEvents 1.0, binary mode: the payload as value, attributes in headers {@code ce_…}. */
    CLOUDEVENTS_BINARY,

    /** CloudEvents 1.0, structured mode: attributes and payload in one JSON object. */
    CLOUDEVENTS_STRUCTURED
}
