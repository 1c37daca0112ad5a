package outbox.torture;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import outbox.torture.cases.Backlog;
import outbox.torture.cases.BlackholedLink;
import outbox.torture.cases.Burst;
import outbox.torture.cases.CollidingIds;
import outbox.torture.cases.DatabaseRestarts;
import outbox.torture.cases.ErrorTexts;
import outbox.torture.cases.ExhaustedPool;
import outbox.torture.cases.FrozenDatabase;
import outbox.torture.cases.FrozenNode;
import outbox.torture.cases.FrozenPrimary;
import outbox.torture.cases.HealthyNodes;
import outbox.torture.cases.HungListeners;
import outbox.torture.cases.ImpairedLinks;
import outbox.torture.cases.KilledAtPoint;
import outbox.torture.cases.KilledNodes;
import outbox.torture.cases.KilledPrimary;
import outbox.torture.cases.KillingEvents;
import outbox.torture.cases.LargePayloads;
import outbox.torture.cases.LongListener;
import outbox.torture.cases.LongListenerWithoutRenewal;
import outbox.torture.cases.MissingColumn;
import outbox.torture.cases.MixedVersionsKilled;
import outbox.torture.cases.OutOfMemory;
import outbox.torture.cases.PartitionedNodes;
import outbox.torture.cases.PoisonedEvents;
import outbox.torture.cases.PowerLoss;
import outbox.torture.cases.PurgeClaimReplay;
import outbox.torture.cases.RefusedOutcomes;
import outbox.torture.cases.RollingRestart;
import outbox.torture.cases.RollingUpgrade;
import outbox.torture.cases.ScaleOut;
import outbox.torture.cases.StartStopStorm;
import outbox.torture.cases.TerminatedConnections;
import outbox.torture.cases.TerminatedWhileBusy;
import outbox.torture.cases.Transactions;
import outbox.torture.cases.WrongClocks;
import outbox.torture.worker.KillPoint;

/** All cases, in the order they run: those of one server, and those of a database that fails over or freezes. */
final class Cases {
    static final List<TortureCase> ALL = List.of(
            new HealthyNodes(false),
            new HealthyNodes(true),
            new KilledNodes(false),
            new KilledNodes(true),
            new KilledAtPoint(
                    "kill-after-listener", "kill -9 between listener success and mark", KillPoint.AFTER_LISTENER),
            new KilledAtPoint("kill-inside-mark", "kill -9 inside the mark", KillPoint.INSIDE_MARK),
            new KilledAtPoint("kill-after-commit", "kill -9 between COMMIT and hook", KillPoint.AFTER_COMMIT),
            new KilledAtPoint("kill-in-transaction", "kill -9 inside the transaction", KillPoint.INSIDE_TRANSACTION),
            new DatabaseRestarts(false),
            new DatabaseRestarts(true),
            new TerminatedConnections(),
            new ExhaustedPool(),
            new FrozenNode(false),
            new FrozenNode(true),
            new LongListener(),
            new LongListenerWithoutRenewal(),
            new BlackholedLink(),
            ImpairedLinks.slow(),
            ImpairedLinks.lossy(),
            new PartitionedNodes(false),
            new PartitionedNodes(true),
            new WrongClocks(),
            new PoisonedEvents(),
            new KillingEvents(),
            new HungListeners(),
            new RefusedOutcomes(),
            new ErrorTexts(),
            new OutOfMemory(),
            new LargePayloads(),
            new Burst(),
            new Backlog(),
            new CollidingIds(),
            new Transactions(),
            new TerminatedWhileBusy(),
            new StartStopStorm(),
            new PurgeClaimReplay(),
            new MissingColumn());

    static final List<TortureCase> FAILOVER = List.of(
            new KilledPrimary(Replication.SYNCHRONOUS, false),
            new KilledPrimary(Replication.SYNCHRONOUS, true),
            new KilledPrimary(Replication.ASYNCHRONOUS, false),
            new KilledPrimary(Replication.ASYNCHRONOUS, true),
            new FrozenPrimary(false, false),
            new FrozenPrimary(false, true),
            new FrozenPrimary(true, false),
            new FrozenDatabase(false),
            new FrozenDatabase(true));

    static final List<TortureCase> UPGRADE = List.of(
            new RollingUpgrade(false, false),
            new RollingUpgrade(false, true),
            new RollingUpgrade(true, false),
            new RollingUpgrade(true, true),
            new MixedVersionsKilled(false),
            new MixedVersionsKilled(true));

    static final List<TortureCase> POWER =
            List.of(new PowerLoss(true, false), new PowerLoss(true, true), new PowerLoss(false, false));

    static final List<TortureCase> SCALE_OUT = List.of(
            new ScaleOut(2),
            new ScaleOut(4),
            new ScaleOut(8),
            new ScaleOut(16),
            new RollingRestart(false),
            new RollingRestart(true));

    /** Cases that run together and share a table of the report. */
    enum Group {
        SINGLE("single"),
        FAILOVER("failover"),
        UPGRADE("upgrade"),
        POWER("power"),
        SCALE_OUT("scale-out");

        private final String option;

        Group(String option) {
            this.option = option;
        }

        /** What the command line and the marks of the page call it. */
        String option() {
            return option;
        }

        List<TortureCase> cases() {
            return switch (this) {
                case SINGLE -> Cases.ALL;
                case FAILOVER -> Cases.FAILOVER;
                case UPGRADE -> Cases.UPGRADE;
                case POWER -> Cases.POWER;
                case SCALE_OUT -> Cases.SCALE_OUT;
            };
        }
    }

    private Cases() {}

    static Optional<TortureCase> named(String name) {
        return Stream.of(Group.values())
                .flatMap(group -> group.cases().stream())
                .filter(torture -> torture.name().equals(name))
                .findFirst();
    }
}
