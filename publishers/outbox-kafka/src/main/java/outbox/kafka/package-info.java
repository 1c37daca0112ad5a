/** Carries events out of the process as Kafka records. */
@NullMarked
package outbox.kafka;

import org.jspecify.annotations.NullMarked;
