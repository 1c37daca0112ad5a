package outbox.samples.shop.board;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.samples.shop.orders.OrderView;

/**
 * All that the page shows.
 *
 * @param database the kind of database the shop runs on
 * @param bankOut whether the simulated bank is out of service
 * @param controlCenter where the control center is; {@code null} if this application has none
 * @param counts how many events are NEW, RETRY, DEAD and DONE
 * @param medianPickUpMillis from INSERT to handler, over what is shown; {@code null} if nothing is known
 * @param orders newest first
 * @param dead the events that wait for a person, newest first
 */
record BoardView(
        String database,
        boolean bankOut,
        @Nullable String controlCenter,
        Map<String, Integer> counts,
        @Nullable Double medianPickUpMillis,
        List<Line> orders,
        List<DeadLetter> dead) {

    /** An order and its events; those that do not exist yet are {@code null}. */
    record Line(
            OrderView order,
            @Nullable Step placed,
            @Nullable Step paid,
            @Nullable Step mailed) {}

    /**
     * How far an event is.
     *
     * @param attempts how many attempts to deliver it failed
     * @param pickUpMillis from its INSERT to its handler, if this process saw both
     * @param totalMillis from its writing to its end, if it is done
     */
    record Step(
            String eventId,
            String type,
            String status,
            int attempts,
            @Nullable Double pickUpMillis,
            @Nullable Long totalMillis,
            @Nullable String error) {}

    /** An event that was given up. */
    record DeadLetter(
            String eventId,
            String type,
            String orderId,
            int attempts,
            String error,
            @Nullable String badAddress) {}
}
