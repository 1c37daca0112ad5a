package outbox.benchmark;

import java.util.ArrayList;
import java.util.List;
import outbox.benchmark.own.Bulk;
import outbox.benchmark.own.BusinessTransaction;
import outbox.benchmark.own.ClaimTime;
import outbox.benchmark.own.ForeignTransaction;
import outbox.benchmark.own.HandlersOutbox;
import outbox.benchmark.own.Idle;
import outbox.benchmark.own.Latency;
import outbox.benchmark.own.OrderedOutbox;
import outbox.benchmark.own.OwnOutbox;
import outbox.benchmark.own.StarterOutbox;
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
        List<Scenario> all = new ArrayList<>();
        forms().forEach(form -> all.add(new HotScenario(form.id() + "-hot", form)));
        forms().forEach(form -> all.add(new ColdScenario(form.id() + "-cold", form, Scale::coldEvents)));
        return all;
    }

    /** One plain listener, and handlers instead. */
    private static List<Contender> forms() {
        List<Contender> forms = new ArrayList<>(List.of(OwnOutbox.byDefault()));
        forms.addAll(HandlersOutbox.all());
        forms.add(new StarterOutbox());
        return forms;
    }

    /** Whether a scenario measures somebody else's engine. */
    static boolean isPeer(Scenario scenario) {
        return peers().stream().anyMatch(peer -> scenario.id().startsWith(peer.id() + "-"));
    }

    private static List<Contender> peers() {
        return List.of(new Gruelbox(), new DbScheduler(), new Modulith(), new Namastack());
    }

    /** This project in all its forms, and its peers. */
    public static List<Contender> contenders() {
        List<Contender> all = forms();
        all.addAll(List.of(OwnOutbox.deleting(), new OrderedOutbox()));
        all.addAll(peers());
        return all;
    }
}
