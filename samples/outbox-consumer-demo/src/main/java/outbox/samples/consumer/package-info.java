/** How does a service handle a message once that a broker may deliver twice? */
@NullMarked
package outbox.samples.consumer;

import org.jspecify.annotations.NullMarked;
