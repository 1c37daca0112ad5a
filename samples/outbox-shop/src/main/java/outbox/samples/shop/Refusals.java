package outbox.samples.shop;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import outbox.idempotency.CreateInProgressException;
import outbox.idempotency.IdempotencyConflictException;

/** Says why a request was refused. */
@RestControllerAdvice
class Refusals {
    @ExceptionHandler
    ProblemDetail badInput(IllegalArgumentException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(e.getMessage()));
    }

    /** What {@code NewOrder} refuses is wrapped by the JSON reader. */
    @ExceptionHandler
    ProblemDetail unreadable(HttpMessageNotReadableException e) {
        Throwable root = e.getMostSpecificCause();
        String detail =
                root instanceof IllegalArgumentException ? root.getMessage() : "the body is not the JSON expected";
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(detail));
    }

    @ExceptionHandler({IdempotencyConflictException.class, CreateInProgressException.class})
    ProblemDetail conflict(RuntimeException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(e.getMessage()));
    }
}
