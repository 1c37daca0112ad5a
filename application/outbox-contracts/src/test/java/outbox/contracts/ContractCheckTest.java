package outbox.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.domain.EventHeaders;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

class ContractCheckTest {
    private static final String GOOD = """
            {"orderId":"1b671a64-40d5-491e-99b0-da01ff1f3341","total":{"amount":100,"currency":"EUR"}}""";

    private final EventContracts contracts = EventContracts.fromClasspath("contracts");
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTxContext tx = store.txContext();

    private void write(ContractCheck check, EventEnvelope... events) {
        Outbox outbox = Outbox.writerOnly()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .writerHook(check)
                .build();
        tx.inTransaction(() -> outbox.writer().writeAll(List.of(events)));
    }

    private static EventEnvelope order(String payload) {
        return EventEnvelope.ofJson("order.placed", payload);
    }

    @Test
    void whatKeepsItsContractIsWritten() {
        write(ContractCheck.rejecting(contracts), order(GOOD), EventEnvelope.ofJson("unknown.type", "[1]"));
        assertThat(store.rows()).hasSize(2);
    }

    @Test
    void whatBreaksItsContractIsRejectedWithPlaceAndRuleAndNothingIsWritten() {
        String bad = """
                {"orderId":"secret-1","total":{"amount":-77,"currency":"secret-2"},"channel":"secret-3"}""";
        assertThatThrownBy(() -> write(ContractCheck.rejecting(contracts), order(GOOD), order(bad)))
                .isInstanceOf(ContractViolationException.class)
                .hasMessageContaining("order.placed")
                .hasMessageContaining("/orderId")
                .hasMessageContaining("/total/amount")
                .hasMessageContaining("/total/currency")
                .hasMessageContaining("/channel")
                .hasMessageNotContaining("secret")
                .hasMessageNotContaining("-77")
                .satisfies(e ->
                        assertThat(((ContractViolationException) e).problems()).hasSize(4));
        assertThat(store.rows()).isEmpty();
    }

    @Test
    void missingPropertiesAndWrongTypesAreNamed() {
        EventContract contract = contracts.find("order.placed", 1);
        assertThat(contract.problemsOf("{\"total\":7}"))
                .anySatisfy(problem -> assertThat(problem).contains("orderId"))
                .anySatisfy(problem -> assertThat(problem).startsWith("/total ").contains("object"));
        assertThat(contract.problemsOf("{\"orderId\":")).containsExactly("the payload is not JSON");
        assertThat(contract.problemsOf(GOOD)).isEmpty();
    }

    @Test
    void theWarningFormWritesAllTheSame() {
        List<ContractViolationException> told = new ArrayList<>();
        write(ContractCheck.reporting(contracts, told::add), order("{}"));
        write(ContractCheck.warning(contracts), order("{}"));
        assertThat(store.rows()).hasSize(2);
        assertThat(told).singleElement().satisfies(e -> assertThat(e.problems()).hasSize(2));
    }

    @Test
    void theVersionOfTheEventDecides() {
        EventEnvelope v2 =
                order(GOOD).toBuilder().header(EventHeaders.VERSION, "2").build();
        assertThatThrownBy(() -> write(ContractCheck.rejecting(contracts), v2)).hasMessageContaining("customer");
        EventEnvelope v3 = v2.toBuilder().header(EventHeaders.VERSION, "3").build();
        assertThatThrownBy(() -> write(ContractCheck.rejecting(contracts), v3))
                .hasMessageContaining("version 3, only for [order.placed v1, order.placed v2]");
        EventEnvelope odd = v2.toBuilder().header(EventHeaders.VERSION, "two").build();
        assertThatThrownBy(() -> write(ContractCheck.rejecting(contracts), odd))
                .hasMessageContaining("eventVersion is not a number");
        assertThat(EventContracts.VERSION_HEADER).isEqualTo(EventHeaders.VERSION);
    }

    @Test
    void typesWithoutAContractCanBeRefused() {
        assertThatThrownBy(() -> write(
                        ContractCheck.rejecting(contracts).refusingUnknown(),
                        EventEnvelope.ofJson("unknown.type", "{}")))
                .isInstanceOf(ContractViolationException.class)
                .hasMessageContaining("no contract for this type");
    }

    @Test
    void bytesKeepNoContract() {
        EventEnvelope bytes = EventEnvelope.builder("order.placed")
                .payloadBytes(new byte[] {1})
                .build();
        assertThatThrownBy(() -> write(ContractCheck.rejecting(contracts), bytes))
                .hasMessageContaining("binary payload");
    }

    @Test
    void aLongListOfProblemsIsCut() {
        EventContracts many = EventContracts.builder()
                .add("e", 1, "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}")
                .build();
        assertThatThrownBy(() ->
                        write(ContractCheck.rejecting(many), EventEnvelope.ofJson("e", "[1,2,3,4,5,6,7,8,9,10,11,12]")))
                .hasMessageContaining("and 2 more");
    }
}
