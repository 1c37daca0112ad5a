package outbox.modulith;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.modulith.core.ApplicationModules;
import org.springframework.modulith.events.EventExternalized;
import org.springframework.modulith.test.EnableScenarios;
import org.springframework.modulith.test.Scenario;
import outbox.modulith.shop.Shop;
import outbox.modulith.shop.inventory.Inventory;
import outbox.modulith.shop.orders.Orders;

/** Spring Modulith's own way to test an application. */
@SpringBootTest(classes = Shop.class, properties = "spring.datasource.generate-unique-name=true")
@Import(ExternalizationTest.OneTransport.class)
@EnableScenarios
class ScenarioTest {
    @Autowired
    Orders orders;

    @Autowired
    RecordingTransport transport;

    @Test
    void theModulesAreAsSpringModulithWantsThem() {
        ApplicationModules.of(Shop.class).verify();
    }

    @Test
    void anotherModuleHearsOfTheOrder(Scenario scenario) {
        scenario.stimulate(() -> orders.complete("s-1", 100))
                .andWaitForEventOfType(Inventory.Reserved.class)
                .matching(event -> event.orderId().equals("s-1"))
                .toArrive();
    }

    @Test
    void theOrderIsExternalized(Scenario scenario) {
        scenario.stimulate(() -> orders.complete("s-2", 100))
                .andWaitForStateChange(() -> transport.sentFor("s-2"), sent -> !sent.isEmpty())
                .andVerify(sent -> assertThat(sent).hasSize(1));
    }

    @Test
    void itIsAnnouncedAsEver(Scenario scenario) {
        scenario.stimulate(() -> orders.complete("s-3", 100))
                .andWaitForEventOfType(EventExternalized.class)
                .toArrive();
    }
}
