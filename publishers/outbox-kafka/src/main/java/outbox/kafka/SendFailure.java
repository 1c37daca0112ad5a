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

/** What a failed send says: about the record, about the producer, or just that it is to be tried again. */
enum SendFailure {
    /** The record is at fault and always will be. */
    RECORD,
    /** The producer can do nothing any more; another one may. */
    PRODUCER,
    /** The broker, the network or a permission; time may heal it. */
    PASSING;

    static SendFailure of(Throwable failure) {
        if (failure instanceof RecordTooLargeException
                || failure instanceof InvalidTopicException
                || failure instanceof InvalidRecordException
                || failure instanceof SerializationException
                || failure instanceof UnsupportedForMessageFormatException) {
            return RECORD;
        }
        if (failure instanceof AuthenticationException // the first one is the last word for a producer without an id
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
     * A producer that could not get its id, because the broker did not take its password for instance, never asks for one
     * again. It says so with an exception that has no class of its own, around the cause.
     */
    private static boolean isErrorState(Throwable failure) {
        return failure.getClass() == KafkaException.class && failure.getCause() != null;
    }

    /** Whether a record found no partition because no broker said in time which ones there are. */
    static boolean isWithoutMetadata(Throwable failure, RecordMetadata metadata) {
        return failure instanceof TimeoutException
                && !(failure instanceof BufferExhaustedException)
                && metadata.partition() == RecordMetadata.UNKNOWN_PARTITION;
    }

    /** Whether there is no producer because no name of a broker has an address. */
    static boolean isUnknownHost(KafkaException failure) {
        return failure.getCause() instanceof ConfigException cause
                && String.valueOf(cause.getMessage()).startsWith("No resolvable bootstrap urls");
    }
}
