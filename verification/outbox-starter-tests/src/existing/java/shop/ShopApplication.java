package shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Takes orders, confirms them by mail and reports them to the stock. */
@SpringBootApplication
class ShopApplication {}
