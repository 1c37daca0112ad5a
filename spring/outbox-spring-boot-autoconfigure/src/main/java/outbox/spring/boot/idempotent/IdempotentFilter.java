package outbox.spring.boot.idempotent;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives {@link IdempotentInterceptor} a request whose body can be read twice and a response that can be held back.
 * Innermost, so that the response holds what the controller wrote. Other requests pass unchanged.
 */
final class IdempotentFilter extends OncePerRequestFilter implements Ordered {
    private static final String WRAPPED = IdempotentFilter.class.getName();

    /** What the filter passes on. */
    record Wrapped(BufferedRequest request, RecordedResponse response) {
        static @Nullable Wrapped of(HttpServletRequest request) {
            return (Wrapped) request.getAttribute(WRAPPED);
        }
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return IdempotentEndpoints.isSafe(request.getMethod());
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Wrapped wrapped = new Wrapped(new BufferedRequest(request), new RecordedResponse(response));
        request.setAttribute(WRAPPED, wrapped);
        chain.doFilter(wrapped.request(), wrapped.response());
        ServletExchange exchange = ServletExchange.of(request);
        if (exchange != null) {
            exchange.throwFailure();
        }
    }
}
