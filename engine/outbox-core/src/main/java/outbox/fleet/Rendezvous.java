package outbox.fleet;

import java.util.Collection;

/**
 * Chooses a node for a database by the highest hash of both names: all nodes choose the same without talking, and when a
 * node goes or comes only its own databases change hands.
 */
final class Rendezvous {
    private Rendezvous() {}

    static String choose(Collection<String> nodes, String database) {
        String chosen = "";
        long highest = 0;
        for (String node : nodes) {
            long weight = hash(node, database);
            if (chosen.isEmpty() || weight > highest || (weight == highest && node.compareTo(chosen) > 0)) {
                chosen = node;
                highest = weight;
            }
        }
        return chosen;
    }

    /** FNV-1a over both names, its bits mixed: names that differ in a digit must not have neighbouring hashes. */
    private static long hash(String node, String database) {
        long hash = 0xcbf29ce484222325L;
        String text = node + '\n' + database;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
