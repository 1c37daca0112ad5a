package outbox.samples.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Orders over HTTP. */
@RestController
class OrderController {
    private final OrderService orders;

    OrderController(OrderService orders) {
        this.orders = orders;
    }

    record PlaceOrder(@Nullable String item, int quantity) {}

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    OrderService.Order place(@RequestBody PlaceOrder request) {
        if (request.item() == null || request.item().isBlank() || request.quantity() < 1) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "an order has an item and a quantity of at least 1: " + request);
        }
        return orders.place(request.item(), request.quantity());
    }

    @GetMapping("/orders")
    List<OrderService.Order> all() {
        return orders.all();
    }

    @ExceptionHandler
    ProblemDetail soldOut(OrderService.SoldOutException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, e.getMessage());
    }
}
