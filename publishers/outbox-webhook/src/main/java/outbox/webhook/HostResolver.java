package outbox.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Finds the addresses of a name. Thread-safe. */
@FunctionalInterface
interface HostResolver {
    /** May block. @return at least one address */
    InetAddress[] resolve(String host) throws UnknownHostException;
}
