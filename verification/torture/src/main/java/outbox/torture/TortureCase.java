package outbox.torture;

/** One way to make the system suffer. A new one is a class in {@code outbox.torture.cases} and a line in {@link Cases}. */
public interface TortureCase {
    /** By which the command line chooses it. */
    String name();

    /** What happens, for the table. */
    String what();

    /** Whether the version that takes a minute has it. */
    default boolean isQuick() {
        return false;
    }

    /** Whether it needs order per aggregate. */
    default boolean isOrdered() {
        return false;
    }

    /** Whether its table is that of the version before. */
    default boolean beginsWithVersionBefore() {
        return false;
    }

    /** Whether it needs a database with a standby. */
    default Replication replication() {
        return Replication.NONE;
    }

    /** Whether its database server is on a disk that forgets what was not synced. */
    default boolean losesPower() {
        return false;
    }

    /** Whether a commit waits for the disk. Otherwise a power loss may take commits with it: events and business rows alike. */
    default boolean isDurable() {
        return true;
    }

    /** Lets things happen, tells the arena what it did and what it allows; the arena counts and compares afterwards. */
    void run(Arena arena) throws Exception;
}
