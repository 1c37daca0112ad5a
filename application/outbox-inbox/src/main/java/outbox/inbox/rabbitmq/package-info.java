/** Does it bring messages of RabbitMQ into the inbox? */
@NullMarked
package outbox.inbox.rabbitmq;

import org.jspecify.annotations.NullMarked;
