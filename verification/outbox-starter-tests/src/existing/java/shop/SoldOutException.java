package shop;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

@ResponseStatus(HttpStatus.CONFLICT)
class SoldOutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SoldOutException(String item) {
        super("there is no " + item);
    }
}
