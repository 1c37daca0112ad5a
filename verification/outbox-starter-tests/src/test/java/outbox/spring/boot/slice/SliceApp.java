package outbox.spring.boot.slice;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application to cut slices from. In a package of its own: other tests look for events below theirs. */
@SpringBootApplication
class SliceApp {}
