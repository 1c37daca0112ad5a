package outbox.spring.boot.idempotent;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.servlet.DispatcherServlet;
import outbox.idempotency.http.Execution;
import outbox.idempotency.http.HttpAnswer;
import outbox.spring.boot.idempotent.IdempotentMetrics.Outcome;
import outbox.spring.boot.idempotent.RecordedResponse.SentError;

/** One request that runs under its key, from the claim to its answer. Used by one thread at a time. */
final class ServletExchange {
    private static final String ATTRIBUTE = ServletExchange.class.getName();
    private static final int FIRST_CLIENT_ERROR = 400;

    private final IdempotentHttp http;
    private final String scope;
    private final Execution execution;
    private final @Nullable TransactionStatus transaction;
    private final HttpServletRequest request;
    private final RecordedResponse response;
    private boolean ended; // guarded by this: a container tells of the end of asynchronous requests on its own threads
    private @Nullable Throwable failure;

    /** @param transaction of the controller, if it stores the answer too */
    ServletExchange(
            IdempotentHttp http,
            String scope,
            Execution execution,
            @Nullable TransactionStatus transaction,
            HttpServletRequest request,
            RecordedResponse response) {
        this.http = http;
        this.scope = scope;
        this.execution = execution;
        this.transaction = transaction;
        this.request = request;
        this.response = response;
    }

    static @Nullable ServletExchange of(HttpServletRequest request) {
        return (ServletExchange) request.getAttribute(ATTRIBUTE);
    }

    void begin() {
        request.setAttribute(ATTRIBUTE, this);
        response.record(http.maxAnswer(), this::overflow);
    }

    /**
     * The controller, its exception handlers and its view are done.
     *
     * @param unresolved an exception that nobody handled; the container makes the answer
     * @param resolver has the application handle a failed commit
     */
    void end(@Nullable Exception unresolved, Predicate<Exception> resolver) throws IOException {
        if (end()) {
            if (unresolved != null) {
                orFail(() -> {
                    response.resetBuffer();
                    abandon(unresolved.toString());
                });
                addFailureTo(unresolved);
            } else if (request.isAsyncStarted()) { // not by Spring MVC: another thread writes the response
                orFail(() -> complete(HttpAnswer.notKept(response.getStatus()), resolver));
            } else {
                orFail(() -> complete(answer(), resolver));
            }
        }
        response.release();
    }

    /** An asynchronous request ended without an answer of its controller. */
    void endAsync() {
        if (end()) {
            orFail(() -> abandon("the request ended without an answer"));
            throwFailure();
        }
    }

    private synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    /** Called while the answer is written, so the controller has returned. */
    private void overflow() {
        if (end()) {
            orFail(() -> complete(HttpAnswer.notKept(response.getStatus()), commitFailure -> false));
            throwFailure();
        }
    }

    /** For the container, if the request could not be ended and the application did not handle that. */
    void throwFailure() {
        Throwable thrown = failure;
        failure = null;
        if (thrown != null) {
            ReflectionUtils.rethrowRuntimeException(thrown);
        }
    }

    private void addFailureTo(Exception thrown) {
        Throwable also = failure;
        failure = null;
        if (also != null && also != thrown) {
            thrown.addSuppressed(also);
        }
    }

    /** Spring logs what an interceptor throws and sends the answer: so a failure is kept for the filter to throw. */
    private void orFail(Runnable ending) {
        try {
            ending.run();
        } catch (Throwable e) {
            failure = e;
            if (transaction != null) {
                evenAfter(e, () -> rollBack(transaction));
            }
            evenAfter(e, response::discard);
            evenAfter(e, () -> release(e.toString()));
        }
    }

    private static void evenAfter(Throwable first, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            if (e != first) {
                first.addSuppressed(e);
            }
        }
    }

    private HttpAnswer answer() {
        Map<String, List<String>> headers =
                HttpAnswer.headersToKeep(response.headersBefore(), response.headers(), http.excludedHeaders());
        SentError error = response.error();
        return error == null
                ? HttpAnswer.complete(response.getStatus(), headers, response.body())
                : HttpAnswer.error(error.status(), headers, error.reason() == null ? "" : error.reason());
    }

    private void complete(HttpAnswer answer, Predicate<Exception> resolver) {
        if (transaction == null) {
            keep(answer);
        } else if (commits(answer, transaction)) {
            commit(answer, transaction, resolver);
        } else {
            rollBack(transaction);
            keep(answer);
        }
    }

    private void abandon(String reason) {
        if (transaction != null) {
            rollBack(transaction);
        }
        release(reason);
    }

    /** What is not stored must not have happened; what failed is rolled back, as with {@code @Transactional}. */
    private boolean commits(HttpAnswer answer, TransactionStatus running) {
        boolean failed = request.getAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE) != null
                || request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) != null;
        boolean refused = answer.status() >= FIRST_CLIENT_ERROR && running.isRollbackOnly();
        return HttpAnswer.isFinal(answer.status()) && !failed && !refused;
    }

    private void commit(HttpAnswer answer, TransactionStatus running, Predicate<Exception> resolver) {
        try {
            execution.store(answer);
            http.transactionManager().commit(running);
            http.count(scope, Outcome.EXECUTED);
        } catch (RuntimeException e) {
            evenAfter(e, () -> rollBack(running));
            response.discard();
            if (!resolves(resolver, e)) {
                throw e;
            }
            keep(answer());
        }
    }

    private static boolean resolves(Predicate<Exception> resolver, RuntimeException commitFailure) {
        try {
            return resolver.test(commitFailure);
        } catch (Throwable e) {
            if (e != commitFailure && e.getCause() != commitFailure) {
                e.addSuppressed(commitFailure);
            }
            throw e;
        }
    }

    private void rollBack(TransactionStatus running) {
        if (!running.isCompleted()) {
            PlatformTransactionManager manager = http.transactionManager();
            manager.rollback(running);
        }
    }

    private void keep(HttpAnswer answer) {
        if (HttpAnswer.isFinal(answer.status())) {
            execution.storeAlone(answer);
            http.count(scope, Outcome.EXECUTED);
        } else {
            release("answered with status " + answer.status());
        }
    }

    private void release(String reason) {
        execution.release(reason);
        http.count(scope, Outcome.NOT_STORED);
    }
}
