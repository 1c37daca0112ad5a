package outbox.spring.boot;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import outbox.control.http.OperatorSource;

/** Served instead of the control center while its tables are missing; tells operators how to create them. */
final class PageWithoutTables extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient OperatorSource operators;
    private final String problem;

    PageWithoutTables(OperatorSource operators, String problem) {
        this.operators = operators;
        this.problem = problem;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean known = operators.operator(request) != null;
        response.setStatus(known ? HttpServletResponse.SC_SERVICE_UNAVAILABLE : HttpServletResponse.SC_FORBIDDEN);
        response.setContentType("text/plain");
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        response.setHeader("Cache-Control", "no-store");
        response.getWriter()
                .println(known ? "The outbox control center is not available: " + problem + "." : "Forbidden.");
    }
}
