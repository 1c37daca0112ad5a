package outbox.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventName;
import outbox.domain.TxMode;
import outbox.testing.server.DatabaseServer;

@DisplayName("T4 idempotent create")
public abstract class IdempotentCreateContract {
    record OrderCreated(String publicId, long cents) {}

    @EventName("order.created")
    public record OrderCreatedEvent(String eventId, Instant occurredAt, String publicId) implements DomainEvent {
        OrderCreatedEvent(String publicId) {
            this(DomainEvent.newId(), Instant.now(), publicId);
        }
    }

    Database database;
    IdempotentCreateTemplate template;
    private final AtomicInteger runs = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    protected abstract DatabaseServer server();

    @BeforeEach
    void open() {
        database = new Database(server(), 16);
        template = template(DefaultIdempotentCreateTemplate.DEFAULT_LEASE);
    }

    private IdempotentCreateTemplate template(Duration lease) {
        return new DefaultIdempotentCreateTemplate(
                database.records, database.transactions, database.tx, database.publisher, database.serializer, lease);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        database.close();
    }

    static CreateRequest.Builder<OrderCreated> request(String key) {
        return CreateRequest.<OrderCreated>builder("order", key)
                .request("{\"cents\":100}")
                .returning(OrderCreated.class)
                .publicIdPrefix("ord_")
                .aggregateType("Order");
    }

    CreateWorkWithEventsResult<OrderCreated> insert(Ulid128 internalId, String publicId) throws SQLException {
        runs.incrementAndGet();
        database.effect(publicId);
        return CreateWorkWithEvents.result(new OrderCreated(publicId, 100), List.of(new OrderCreatedEvent(publicId)));
    }

    private CompletableFuture<IdempotentCreateResult<OrderCreated>> async(
            CreateRequest<OrderCreated> request, CreateWorkWithEvents<OrderCreated> work) {
        return CompletableFuture.supplyAsync(() -> template.create(request, work), threads);
    }

    // ---- one caller ---------------------------------------------------------------------------------------------

    @Test
    void theChangeTheKeyAndTheEventsAreCommittedTogether() throws SQLException {
        IdempotentCreateResult<OrderCreated> result =
                template.create(request("k-1").build(), this::insert);

        assertThat(result.replayed()).isFalse();
        assertThat(result.publicId()).isEqualTo("ord_" + result.internalId()).hasSize(30);
        assertThat(result.internalId().bytes()).hasSize(16);
        assertThat(result.value()).isEqualTo(new OrderCreated(result.publicId(), 100));
        assertThat(database.effects()).containsExactly(result.publicId());
        assertThat(database.query("SELECT aggregate_id FROM outbox_event")).containsExactly(result.publicId());
        assertThat(database.query("SELECT status FROM outbox_idempotency")).containsExactly("1");
    }

    @Test
    void theSameKeyAgainReturnsTheFirstResultWithoutRunningTheWork() throws SQLException {
        IdempotentCreateResult<OrderCreated> first =
                template.create(request("k-1").build(), this::insert);
        IdempotentCreateResult<OrderCreated> second =
                template.create(request("k-1").build(), this::insert);

        assertThat(second.replayed()).isTrue();
        assertThat(second.value()).isEqualTo(first.value());
        assertThat(second.publicId()).isEqualTo(first.publicId());
        assertThat(second.internalId()).isEqualTo(first.internalId());
        assertThat(runs).hasValue(1);
        assertThat(database.effects()).hasSize(1);
        assertThat(database.query("SELECT event_id FROM outbox_event")).hasSize(1);
    }

    @Test
    void aResultMayBeLookedUpByItsPublicId() {
        CreateRequest<OrderCreated> request = request("k-1")
                .loadedBy(publicId -> new OrderCreated(publicId, 7))
                .build();
        IdempotentCreateResult<OrderCreated> first = template.create(request, this::insert);

        assertThat(template.create(request, this::insert).value()).isEqualTo(new OrderCreated(first.publicId(), 7));
    }

    @Test
    void workWithoutEventsGetsBothIdsToo() throws SQLException {
        IdempotentCreateResult<OrderCreated> result =
                template.create(request("k-1").build(), id -> {
                    database.effect(id.internalId().text());
                    return new OrderCreated(id.publicId(), 1);
                });

        assertThat(database.effects()).containsExactly(result.internalId().text());
        assertThat(database.query("SELECT event_id FROM outbox_event")).isEmpty();
    }

    @Test
    void anotherRequestUnderTheSameKeyIsRefused() {
        template.create(request("k-1").build(), this::insert);

        assertThatThrownBy(() ->
                        template.create(request("k-1").request("{\"cents\":1}").build(), this::insert))
                .isInstanceOf(IdempotencyConflictException.class)
                .hasMessageContaining("order/k-1 was already used for another request");
        assertThat(runs).hasValue(1);
    }

    @Test
    void keysOfOtherScopesAndTenantsAreOtherKeys() throws SQLException {
        template.create(request("k-1").build(), this::insert);
        template.create(request("k-1").tenantId("acme").build(), this::insert);
        template.create(request("K-1").build(), this::insert);
        template.create(
                CreateRequest.<OrderCreated>builder("invoice", "k-1")
                        .request("x")
                        .returning(OrderCreated.class)
                        .build(),
                this::insert);

        assertThat(database.effects()).hasSize(4);
    }

    @Test
    void aKeyThatIsEmptyOrTooLongIsRefusedBeforeAnyWork() {
        for (String key : List.of("", "  ", "x".repeat(129), "k ", "k\n1")) {
            assertThatThrownBy(() -> template.create(request(key).build(), this::insert))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("idempotency key");
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void aRequestMustSayWhatIsAskedForAndWhatARepetitionGets() {
        assertThatThrownBy(() -> CreateRequest.<String>builder("order", "k")
                        .returning(String.class)
                        .build())
                .hasMessageContaining("request(...) is missing");
        assertThatThrownBy(() ->
                        CreateRequest.<String>builder("order", "k").request("x").build())
                .hasMessageContaining("returning(...) or loadedBy(...) is missing");
    }

    // ---- failure ------------------------------------------------------------------------------------------------

    @Test
    void aFailureIsRecordedAndMayBeTriedAgainUnderTheSameIds() throws SQLException {
        List<String> publicIds = new ArrayList<>();
        assertThatThrownBy(() -> template.create(request("k-1").build(), (internalId, publicId) -> {
                    publicIds.add(publicId);
                    insert(internalId, publicId);
                    throw new IllegalStateException("no stock");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no stock");
        assertThat(database.effects()).isEmpty();
        assertThat(database.query("SELECT event_id FROM outbox_event")).isEmpty();
        assertThat(database.query("SELECT status FROM outbox_idempotency")).containsExactly("2");
        assertThat(database.query("SELECT last_error FROM outbox_idempotency").get(0))
                .contains("no stock");

        IdempotentCreateResult<OrderCreated> second =
                template.create(request("k-1").build(), this::insert);

        assertThat(second.replayed()).isFalse();
        assertThat(publicIds).containsExactly(second.publicId());
        assertThat(database.query("SELECT attempts FROM outbox_idempotency")).containsExactly("2");
    }

    @Test
    void aCheckedExceptionIsTheCauseOfWhatIsThrown() {
        assertThatThrownBy(() -> template.create(request("k-1").build(), id -> {
                    throw new IOException("disk full");
                }))
                .isInstanceOf(CreateFailedException.class)
                .hasMessageContaining("disk full")
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void aKeyWhoseProcessDiedIsTakenOverWhenItsLeaseIsOver() throws SQLException {
        assertThat(claim("left")).isInstanceOf(IdempotencyRecords.Claim.Granted.class);
        assertThat(claim("new")).isInstanceOf(IdempotencyRecords.Claim.InProgress.class);

        database.update("UPDATE outbox_idempotency SET locked_until = created_at");

        assertThat(claim("new"))
                .isInstanceOfSatisfying(
                        IdempotencyRecords.Claim.Granted.class,
                        granted -> assertThat(granted.publicId()).isEqualTo("left"));
    }

    @Test
    void aRenewedLeaseKeepsTheKeyUntilAnotherTakesIt() throws SQLException {
        IdempotencyKey key = request("k-1").build().key();
        String owner = ((IdempotencyRecords.Claim.Granted) claim("first")).owner();
        database.update("UPDATE outbox_idempotency SET locked_until = created_at");

        assertThat(database.records.renew(key, owner, Duration.ofMinutes(5))).isTrue();
        assertThat(claim("second")).isInstanceOf(IdempotencyRecords.Claim.InProgress.class);

        database.update("UPDATE outbox_idempotency SET locked_until = created_at");
        assertThat(claim("second")).isInstanceOf(IdempotencyRecords.Claim.Granted.class);
        assertThat(database.records.renew(key, owner, Duration.ofMinutes(5))).isFalse();
    }

    private IdempotencyRecords.Claim claim(String publicId) {
        return database.records.claim(
                request("k-1").build().key(),
                "0".repeat(64),
                new CreateWork.NewId(Ulid128.next(), publicId),
                Duration.ofMinutes(5),
                Duration.ofDays(1));
    }

    @Test
    void anExpiredKeyIsANewOne() throws SQLException {
        IdempotentCreateResult<OrderCreated> first =
                template.create(request("k-1").build(), this::insert);
        database.update("UPDATE outbox_idempotency SET expires_at = created_at, locked_until = created_at");

        IdempotentCreateResult<OrderCreated> second =
                template.create(request("k-1").request("{\"cents\":2}").build(), this::insert);

        assertThat(second.replayed()).isFalse();
        assertThat(second.publicId()).isNotEqualTo(first.publicId());
    }

    @Test
    void expiredKeysArePurged() throws SQLException {
        for (String key : List.of("k-1", "k-2", "k-3")) {
            template.create(request(key).build(), this::insert);
        }
        assertThat(database.records.purgeExpired(10)).isZero();
        database.update("UPDATE outbox_idempotency SET expires_at = created_at, locked_until = created_at"
                + " WHERE idempotency_key <> 'k-3'");

        assertThat(database.records.purgeExpired(1)).isEqualTo(1);
        assertThat(database.records.purgeExpired(10)).isEqualTo(1);
        assertThat(database.query("SELECT idempotency_key FROM outbox_idempotency"))
                .containsExactly("k-3");
    }

    // ---- transactions -------------------------------------------------------------------------------------------

    @Test
    void requiredJoinsTheTransactionOfTheCaller() throws Exception {
        CreateRequest<OrderCreated> request = request("k-1").build();
        assertThatThrownBy(() -> database.transactions.run(TxMode.REQUIRED, () -> {
                    template.create(request, this::insert);
                    throw new IllegalStateException("the caller changed his mind");
                }))
                .hasMessage("the caller changed his mind");
        assertThat(database.effects()).isEmpty();
        assertThat(database.query("SELECT last_error FROM outbox_idempotency").get(0))
                .contains("the surrounding transaction rolled back");

        IdempotentCreateResult<OrderCreated> second = database.transactions.run(TxMode.REQUIRED, () -> {
            database.effect("a-caller");
            return template.create(request, this::insert);
        });

        assertThat(second.replayed()).isFalse();
        assertThat(database.effects()).containsExactly("a-caller", second.publicId());
    }

    @Test
    void aFailureInsideTheCallersTransactionIsRecordedWhenThatEnds() throws Exception {
        CreateRequest<OrderCreated> request = request("k-1").build();
        database.transactions.run(TxMode.REQUIRED, () -> {
            assertThatThrownBy(() -> template.create(request, id -> {
                        throw new IllegalStateException("no stock");
                    }))
                    .hasMessage("no stock");
            return database.query("SELECT status FROM outbox_idempotency");
        });

        assertThat(database.query("SELECT status FROM outbox_idempotency")).containsExactly("2");
        assertThat(template.create(request, this::insert).replayed()).isFalse();
    }

    @Test
    void requiresNewCommitsWhateverBecomesOfTheCaller() throws Exception {
        CreateRequest<OrderCreated> request =
                request("k-1").txMode(TxMode.REQUIRES_NEW).build();
        assertThatThrownBy(() -> database.transactions.run(TxMode.REQUIRED, () -> {
                    database.effect("caller");
                    template.create(request, this::insert);
                    throw new IllegalStateException("the caller failed");
                }))
                .hasMessage("the caller failed");

        assertThat(database.effects()).hasSize(1).allMatch(name -> name.startsWith("ord_"));
        assertThat(template.create(request, this::insert).replayed()).isTrue();
    }

    // ---- several callers ----------------------------------------------------------------------------------------

    @Test
    void fiftyCallersWithOneKeyGetOneResultFromOneRun() throws Exception {
        int callers = 50;
        CountDownLatch ready = new CountDownLatch(callers);
        CreateRequest<OrderCreated> request =
                request("k-1").waitAtMost(Duration.ofSeconds(60)).build();
        List<CompletableFuture<IdempotentCreateResult<OrderCreated>>> results = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            results.add(CompletableFuture.supplyAsync(
                    () -> {
                        ready.countDown();
                        await(ready);
                        return template.create(request, this::insert);
                    },
                    threads));
        }

        List<IdempotentCreateResult<OrderCreated>> got =
                results.stream().map(CompletableFuture::join).toList();

        assertThat(runs).hasValue(1);
        assertThat(got.stream().map(IdempotentCreateResult::value).distinct()).hasSize(1);
        assertThat(got.stream().map(IdempotentCreateResult::publicId).distinct())
                .hasSize(1);
        assertThat(got).filteredOn(result -> !result.replayed()).hasSize(1);
        assertThat(database.effects()).hasSize(1);
        assertThat(database.query("SELECT event_id FROM outbox_event")).hasSize(1);
    }

    /** A caller of the key k-1 that is in the middle of its work when this returns. */
    private CompletableFuture<IdempotentCreateResult<OrderCreated>> insideItsWorkUntil(CountDownLatch goOn) {
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<IdempotentCreateResult<OrderCreated>> caller =
                async(request("k-1").build(), (internalId, publicId) -> {
                    inside.countDown();
                    goOn.await();
                    return insert(internalId, publicId);
                });
        await(inside);
        return caller;
    }

    @Test
    void aSecondCallerThatDoesNotWaitIsToldThatItIsInProgress() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<IdempotentCreateResult<OrderCreated>> first = insideItsWorkUntil(goOn);

        assertThatThrownBy(() ->
                        template.create(request("k-1").waitAtMost(Duration.ZERO).build(), this::insert))
                .isInstanceOfSatisfying(CreateInProgressException.class, e -> {
                    assertThat(e).hasMessageContaining("order/k-1 is in progress");
                    assertThat(e.retryAfter()).isPositive();
                });

        CompletableFuture<IdempotentCreateResult<OrderCreated>> waiting =
                async(request("k-1").waitAtMost(Duration.ofSeconds(30)).build(), this::insert);
        goOn.countDown();
        assertThat(waiting.join().value()).isEqualTo(first.join().value());
        assertThat(runs).hasValue(1);
    }

    @Test
    void workThatTakesLongerThanTheLeaseIsNotDoneTwice() throws Exception {
        template = template(Duration.ofMillis(1));
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<IdempotentCreateResult<OrderCreated>> first = insideItsWorkUntil(goOn);

        assertThatThrownBy(() -> template.create(
                        request("k-1").waitAtMost(Duration.ofMillis(300)).build(), this::insert))
                .isInstanceOf(CreateInProgressException.class);

        goOn.countDown();
        first.join();
        assertThat(runs).hasValue(1);
        assertThat(database.effects()).hasSize(1);
    }

    @Test
    void workThatSucceedsWhileSomebodyFindsItsLeaseOverIsNotDoneTwice() throws Exception {
        Duration lease = Duration.ofMillis(1);
        template = template(lease);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<IdempotentCreateResult<OrderCreated>> first = insideItsWorkUntil(goOn);
        IdempotentCreateTemplate second = new DefaultIdempotentCreateTemplate(
                database.recordsThat("SKIP LOCKED", () -> {
                    goOn.countDown();
                    first.join();
                }),
                database.transactions,
                database.tx,
                database.publisher,
                database.serializer,
                lease);

        IdempotentCreateResult<OrderCreated> result =
                second.create(request("k-1").waitAtMost(Duration.ofSeconds(30)).build(), this::insert);

        assertThat(result.replayed()).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void aSuccessWhoseEventsCouldNotBeWrittenIsNotStored() throws Exception {
        IdempotentCreateTemplate withoutEvents = new DefaultIdempotentCreateTemplate(
                database.records,
                database.transactions,
                database.tx,
                new DomainEventPublisher() {
                    @Override
                    public void publishAll(List<?> events, DomainEventContext context) {
                        throw new IllegalStateException("no key to encrypt with");
                    }

                    @Override
                    public boolean isInTransaction() {
                        return true;
                    }
                },
                database.serializer,
                DefaultIdempotentCreateTemplate.DEFAULT_LEASE);
        database.transactions.run(TxMode.REQUIRED, () -> {
            assertThatThrownBy(() -> withoutEvents.create(request("k-1").build(), this::insert))
                    .hasMessage("no key to encrypt with");
            return true; // somebody swallows it, and commits
        });

        assertThat(database.query("SELECT status FROM outbox_idempotency")).containsExactly("2");
    }

    @Test
    void aCallerThatWaitsTakesOverWhenTheFirstFails() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<IdempotentCreateResult<OrderCreated>> first =
                async(request("k-1").build(), (internalId, publicId) -> {
                    inside.countDown();
                    goOn.await();
                    throw new IllegalStateException("no stock");
                });
        await(inside);
        CompletableFuture<IdempotentCreateResult<OrderCreated>> second =
                async(request("k-1").waitAtMost(Duration.ofSeconds(30)).build(), this::insert);
        goOn.countDown();

        assertThat(second.join().replayed()).isFalse();
        assertThatThrownBy(first::join).hasRootCauseMessage("no stock");
        assertThat(database.effects()).hasSize(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
