package outbox.control.http;

import outbox.control.ControlCenter;

/** The application a request is about. */
final class Sources {
    private Sources() {}

    /** However it is reached. @throws ApiException 404 */
    static String name(ControlCenter center, Exchange exchange) {
        String name = exchange.path("app");
        if (!center.hasApplication(name)) {
            throw new ApiException(404, "there is no application '" + name + "'");
        }
        return name;
    }

    /** @throws ApiException 404 */
    static ControlCenter.Source of(ControlCenter center, Exchange exchange) {
        ControlCenter.Source source = center.source(exchange.path("app"));
        if (source == null) {
            throw new ApiException(404, "there is no application '" + exchange.path("app") + "'");
        }
        return source;
    }
}
