package outbox.spring.boot;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Objects;
import outbox.control.access.Operator;

/**
 * Passes API requests with a token of {@code outbox.control-center.tokens} directly to the control center; the
 * application's security would redirect them to its login. All other requests, including those with other tokens, are
 * not affected.
 */
final class ApiTokenFilter implements Filter {
    /** Attribute of requests with a valid token. */
    static final String OPERATOR = ApiTokenFilter.class.getName() + ".operator";

    private static final String API = "/api/";

    private final ApiTokens tokens;
    private final HttpServlet page;

    ApiTokenFilter(ApiTokens tokens, HttpServlet page) {
        this.tokens = tokens;
        this.page = page;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest http = (HttpServletRequest) request;
        Operator operator =
                Objects.requireNonNullElse(http.getPathInfo(), "").startsWith(API) ? tokens.operator(http) : null;
        if (operator == null) {
            chain.doFilter(request, response);
            return;
        }
        request.setAttribute(OPERATOR, operator);
        page.service(request, response);
    }
}
