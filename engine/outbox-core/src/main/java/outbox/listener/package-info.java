/** Everything that governs one listener: concurrency limit, circuit breaker, pause, retry rules, time limit. */
@NullMarked
package outbox.listener;

import org.jspecify.annotations.NullMarked;
