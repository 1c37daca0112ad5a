package outbox.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import outbox.benchmark.own.Bulk;
import outbox.benchmark.own.BusinessTransaction;
import outbox.benchmark.own.ClaimTime;
import outbox.benchmark.own.ForeignTransaction;
import outbox.benchmark.own.HandlersOutbox;
import outbox.benchmark.own.Idle;
import outbox.benchmark.own.Latency;
import outbox.benchmark.own.OrderedOutbox;
import outbox.benchmark.own.OwnOutbox;
import outbox.benchmark.peer.DbScheduler;
import outbox.benchmark.peer.Gruelbox;
import outbox.benchmark.peer.Modulith;
import outbox.benchmark.peer.Namastack;
import outbox.benchmark.publisher.Kafka;
import outbox.benchmark.publisher.RabbitMq;
import outbox.benchmark.publisher.Webhook;
import outbox.benchmark.raw.RawBulk;
import outbox.benchmark.raw.RawHot;
import outbox.webhook.WebhookEndpoint;

/** All there is to measure. Stateless. */
public final class Catalog {
    private Catalog() {}

    /** In the order of the report, which is that of the odd rounds too: what is compared stands together. */
    public static List<Scenario> scenarios() {
        OwnOutbox own = OwnOutbox.byDefault();
        OwnOutbox deleting = OwnOutbox.deleting();
        Contender ordered = new OrderedOutbox();
        List<Scenario> all = new ArrayList<>();
        all.add(new RawHot());
        all.add(new HotScenario("outbox-hot", own));
        all.add(new HotScenario("outboxdelete-hot", deleting));
        all.add(new HotScenario("ordered-hot", ordered));
        peers().forEach(peer -> all.add(new HotScenario(peer.id() + "-hot", peer)));
        all.add(new RawBulk());
        all.add(new Bulk());
        all.add(new ColdScenario("outbox-cold", own, Scale::coldEvents));
        all.add(new ColdScenario("outboxdelete-cold", deleting, Scale::coldEvents));
        all.add(new ColdScenario("ordered-cold", ordered, Scale::coldEvents));
        all.add(new ColdScenario("outbox-peercold", own, Scale::peerColdEvents));
        peers().forEach(peer -> all.add(new ColdScenario(peer.id() + "-cold", peer, Scale::peerColdEvents)));
        all.add(Latency.idle());
        all.add(Latency.loaded());
        all.addAll(BusinessTransaction.all());
        all.add(new Idle());
        all.addAll(ClaimTime.all());
        all.addAll(ForeignTransaction.all());
        return all;
    }

    /** Events on their way out of the process, and what encryption costs; asked for by {@code ./benchmark publishers}. */
    public static List<Scenario> publishers() {
        return List.of(
                Kafka.raw(),
                Kafka.publisher(),
                RabbitMq.raw(),
                RabbitMq.publisher(),
                new Webhook(WebhookEndpoint.DEFAULT_CONCURRENCY),
                new Webhook(4 * WebhookEndpoint.DEFAULT_CONCURRENCY),
                new HotScenario("outbox-hot", OwnOutbox.byDefault()),
                new HotScenario("encrypted-hot", OwnOutbox.encrypted()));
    }

    /** Typed handlers beside one plain listener; asked for by {@code ./benchmark handlers}. */
    public static List<Scenario> handlers() {
        OwnOutbox plain = OwnOutbox.byDefault();
        List<Scenario> all = new ArrayList<>();
        all.add(new HotScenario("outbox-hot", plain));
        HandlersOutbox.all().forEach(handlers -> all.add(new HotScenario(handlers.id() + "-hot", handlers)));
        all.add(new ColdScenario("outbox-cold", plain, Scale::coldEvents));
        HandlersOutbox.all()
                .forEach(handlers ->
                        all.add(new ColdScenario(handlers.id() + "-cold", handlers, Scale::coldEvents)));
        return all;
    }

    /** Whether a scenario measures somebody else's engine. */
    static boolean isPeer(Scenario scenario) {
        return peers().stream().anyMatch(peer -> scenario.id().startsWith(peer.id() + "-"));
    }

    private static List<Contender> peers() {
        return List.of(new Gruelbox(), new DbScheduler(), new Modulith(), new Namastack());
    }

    /** This project and its peers. */
    public static List<Contender> contenders() {
        return Stream.concat(
                        Stream.of(OwnOutbox.byDefault(), OwnOutbox.deleting(), new OrderedOutbox()), peers().stream())
                .toList();
    }
}
