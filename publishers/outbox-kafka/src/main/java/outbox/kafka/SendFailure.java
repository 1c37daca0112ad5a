package outbox.kafka;

import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Classifies failed sends: caused by the record, by the producer, or temporary. */
enum SendFailure {
    /** The record is invalid; retrying is useless. */
    RECORD,
    /** The producer is unusable and must be replaced. */
    PRODUCER,
    /** A problem of broker, network or permissions; retry later. */
    PASSING;

    static SendFailure of(Throwable failure) {
        if (failure instanceof RecordTooLargeException
                || failure instanceof InvalidTopicException
                || failure instanceof InvalidRecordException
                || failure instanceof SerializationException
                || failure instanceof UnsupportedForMessageFormatException) {
            return RECORD;
        }
        if (failure instanceof AuthenticationException // final for a producer that has no id yet
                || failure instanceof ClusterAuthorizationException
                || failure instanceof UnsupportedVersionException
                || failure instanceof ProducerFencedException
                || failure instanceof IllegalStateException
                || isErrorState(failure)) {
            return PRODUCER;
        }
        return PASSING;
    }

    /**
     * A producer that could not get its id, for instance because authentication failed, never requests one again. It
     * reports that with a generic exception that wraps the cause.
     */
    private static boolean isErrorState(Throwable failure) {
        return failure.getClass() == KafkaException.class && failure.getCause() != null;
    }

    /** Whether topic metadata was not received in time. */
    static boolean isWithoutMetadata(Throwable failure, RecordMetadata metadata) {
        return failure instanceof TimeoutException
                && !(failure instanceof BufferExhaustedException)
                && metadata.partition() == RecordMetadata.UNKNOWN_PARTITION;
    }

    /** Whether the producer could not be created because no bootstrap server can be resolved. */
    static boolean isUnknownHost(KafkaException failure) {
        return failure.getCause() instanceof ConfigException cause
                && String.valueOf(cause.getMessage()).startsWith("No resolvable bootstrap urls");
    }
}
