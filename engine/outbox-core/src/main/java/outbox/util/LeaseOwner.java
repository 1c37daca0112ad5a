package outbox.util;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;

/**
 * Names for the column {@code locked_by}: a node id and a random incarnation. The same node started again is another
 * owner, so what its earlier life still believes to hold cannot be written any more.
 */
public final class LeaseOwner {
    /** Size of the column. */
    private static final int MAX_LENGTH = 128;

    private static final int INCARNATION_DIGITS = 10;
    private static final SecureRandom RANDOM = new SecureRandom();

    private LeaseOwner() {}

    /** @throws IllegalArgumentException if the node id is blank or too long for the column */
    public static String incarnationOf(String nodeId) {
        int limit = MAX_LENGTH - INCARNATION_DIGITS - 1;
        if (nodeId.isBlank() || nodeId.length() > limit) {
            throw new IllegalArgumentException(
                    "node id must have 1 to " + limit + " characters, not " + nodeId.length() + ": '" + nodeId + "'");
        }
        String random = Long.toUnsignedString(RANDOM.nextLong(), 36);
        String padded = "0".repeat(13 - random.length()) + random;
        return nodeId + "/" + padded.substring(13 - INCARNATION_DIGITS);
    }

    /** A new incarnation of the same node. */
    public static String anotherOf(String owner) {
        return incarnationOf(owner.substring(0, owner.lastIndexOf('/')));
    }

    /** Host name and process id: what an operator looks for first. */
    public static String defaultNodeId() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "localhost";
        }
        String pid = "-" + ProcessHandle.current().pid();
        int limit = MAX_LENGTH - INCARNATION_DIGITS - 1 - pid.length();
        return (host.length() > limit ? host.substring(0, limit) : host) + pid;
    }
}
