package outbox.modulith.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application of two modules: orders, and the inventory that hears of them. */
@SpringBootApplication
public class Shop {}
