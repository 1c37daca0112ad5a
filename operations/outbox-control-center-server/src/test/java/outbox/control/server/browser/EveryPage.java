package outbox.control.server.browser;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/** All pages by name, with an address each: what is said of every page is said of these. */
final class EveryPage {
    private EveryPage() {}

    static Map<String, String> of(RunningCenter center) throws SQLException {
        String failed = center.rows().ids("event_type = 'PaymentRequested'").get(0);
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("applications", "#/");
        pages.put("overview", "#/orders/");
        pages.put("events", "#/orders/events");
        pages.put("event", "#/orders/events/" + failed);
        pages.put("errors", "#/orders/errors");
        pages.put("failures", "#/orders/failures");
        pages.put("operations", "#/orders/operations");
        pages.put("handlers", "#/orders/handlers");
        pages.put("nodes", "#/orders/nodes");
        pages.put("jobs", "#/orders/jobs");
        pages.put("alerts", "#/orders/alerts");
        pages.put("audit", "#/-audit");
        pages.put("users", "#/-users");
        pages.put("settings", "#/-settings");
        return pages;
    }
}
