package outbox.samples.shop.board;

import java.io.IOException;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

@RestController
class BoardController {
    private final Board board;
    private final LiveFeed feed;

    BoardController(Board board, LiveFeed feed) {
        this.board = board;
        this.feed = feed;
    }

    @GetMapping("/api/board")
    BoardView board() {
        return board.view();
    }

    @GetMapping(path = "/api/board/live", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    SseEmitter live() throws IOException {
        return feed.subscribe();
    }
}
