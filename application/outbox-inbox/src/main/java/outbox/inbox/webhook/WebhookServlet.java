package outbox.inbox.webhook;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Receives webhooks by POST. Map it to a path of your own. Thread-safe. */
public final class WebhookServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient WebhookReceiver receiver;

    public WebhookServlet(WebhookReceiver receiver) {
        this.receiver = Objects.requireNonNull(receiver, "receiver");
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = request.getInputStream().readNBytes(WebhookReceiver.MAX_BODY_BYTES + 1);
        WebhookAnswer answer = receiver.receive(request::getHeader, body);
        response.setStatus(answer.status());
        response.setContentType("text/plain;charset=UTF-8");
        if (answer.retryAfterSeconds() > 0) {
            response.setIntHeader("Retry-After", answer.retryAfterSeconds());
        }
        response.getOutputStream().write(answer.body().getBytes(StandardCharsets.UTF_8));
    }
}
