/** Does it bring records of Kafka into the inbox? */
@NullMarked
package outbox.inbox.kafka;

import org.jspecify.annotations.NullMarked;
