/** Carries events out of the process as AMQP messages to RabbitMQ. */
@NullMarked
package outbox.rabbitmq;

import org.jspecify.annotations.NullMarked;
