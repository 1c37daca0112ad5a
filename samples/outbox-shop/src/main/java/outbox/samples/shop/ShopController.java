package outbox.samples.shop;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import outbox.dead.DeadEventManager;
import outbox.idempotency.IdempotentCreateResult;
import outbox.samples.shop.mail.MailService;
import outbox.samples.shop.orders.NewOrder;
import outbox.samples.shop.orders.OrderService;
import outbox.samples.shop.orders.PlacedOrder;
import outbox.samples.shop.payments.Card;
import outbox.samples.shop.payments.CardCompany;

/** What a customer does, and what an operator does when something went wrong. */
@RestController
@RequestMapping("/api")
class ShopController {
    private static final int MAX_BURST = 1000;
    private static final List<String> ITEMS = List.of("lamp", "chair", "kettle", "clock", "rug", "vase");

    private final OrderService orders;
    private final CardCompany cards;
    private final MailService mail;
    private final DeadEventManager deadEvents;

    ShopController(OrderService orders, CardCompany cards, MailService mail, DeadEventManager deadEvents) {
        this.orders = orders;
        this.cards = cards;
        this.mail = mail;
        this.deadEvents = deadEvents;
    }

    /** 201 for a new order, 200 for one that was placed under this key before. */
    @PostMapping("/orders")
    ResponseEntity<PlacedOrder> place(
            @RequestHeader(name = "Idempotency-Key", required = false) String key, @RequestBody NewOrder wanted) {
        if (key == null) {
            throw new IllegalArgumentException(
                    "header Idempotency-Key is missing: choose one for each order, and send it"
                            + " again if you got no answer");
        }
        IdempotentCreateResult<PlacedOrder> placed = orders.place(key, wanted);
        return ResponseEntity.status(placed.replayed() ? HttpStatus.OK : HttpStatus.CREATED)
                .body(placed.value());
    }

    record Burst(int count) {}

    /** Many orders, each in a transaction of its own: one in twenty has a flaky card, one in twenty is refused. */
    @PostMapping("/orders/burst")
    @ResponseStatus(HttpStatus.CREATED)
    Map<String, Integer> burst(@RequestBody Burst burst) {
        if (burst.count() <= 0 || burst.count() > MAX_BURST) {
            throw new IllegalArgumentException("count must be between 1 and " + MAX_BURST + ": " + burst.count());
        }
        for (int i = 1; i <= burst.count(); i++) {
            Card card = i % 20 == 0 ? Card.DECLINED : i % 10 == 0 ? Card.FLAKY : Card.GOOD;
            String item = ITEMS.get(i % ITEMS.size());
            orders.place(
                    UUID.randomUUID().toString(),
                    new NewOrder(item, 1000 + i, card.name(), "customer" + i + "@mail.example"));
        }
        return Map.of("placed", burst.count());
    }

    record Bank(boolean out) {}

    @PutMapping("/bank")
    Bank bank(@RequestBody Bank bank) {
        cards.setBankOut(bank.out());
        return bank;
    }

    record Correction(String address) {
        Correction {
            address = NewOrder.email(address);
        }
    }

    @PutMapping("/orders/{orderId}/address")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void correctAddress(@PathVariable String orderId, @RequestBody Correction correction) {
        mail.correctAddress(orderId, correction.address());
    }

    @PostMapping("/dead/{eventId}/replay")
    Map<String, Integer> replay(@PathVariable String eventId) throws SQLException {
        if (!deadEvents.replayOrFail(eventId)) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no dead event has the id " + eventId);
        }
        return Map.of("replayed", 1);
    }

    @PostMapping("/dead/replay")
    Map<String, Integer> replayAll() throws SQLException {
        return Map.of("replayed", deadEvents.replayAllOrFail(null, null, 100));
    }
}
