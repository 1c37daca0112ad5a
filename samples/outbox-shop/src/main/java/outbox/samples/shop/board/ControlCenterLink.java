package outbox.samples.shop.board;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Where operators find the control center, if it is part of this application. */
@Component
class ControlCenterLink {
    private final @Nullable String path;

    ControlCenterLink(Environment environment) {
        this.path = environment.getProperty("shop.control-center");
    }

    @Nullable
    String path() {
        return path;
    }
}
