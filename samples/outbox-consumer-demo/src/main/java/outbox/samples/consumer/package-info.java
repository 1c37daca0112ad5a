/** How do two services talk through a broker and webhooks, with each effect once? */
@NullMarked
package outbox.samples.consumer;

import org.jspecify.annotations.NullMarked;
