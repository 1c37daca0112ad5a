package outbox.kafka;

import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
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
        if (failure instanceof ClusterAuthorizationException
                || failure instanceof UnsupportedVersionException
                || failure instanceof ProducerFencedException
                || failure instanceof IllegalStateException) {
            return PRODUCER;
        }
        return PASSING;
    }
}
