package outbox.spring.boot.idempotent;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A response whose body is held back while it is recorded, until {@link #release}. Before and after that it passes
 * everything on. Headers are passed on at once; nothing is sent before the body is.
 */
final class RecordedResponse extends HttpServletResponseWrapper {
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
    private Map<String, List<String>> before = Map.of();
    private boolean recording;
    private int limit;
    private @Nullable Runnable onOverflow;
    private @Nullable SentError error;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    /** The container makes the body. */
    record SentError(int status, @Nullable String reason) {}

    RecordedResponse(HttpServletResponse response) {
        super(response);
    }

    /** @param onOverflow called once, before the body becomes larger than the limit */
    void record(int limit, Runnable onOverflow) {
        this.before = headers();
        this.limit = limit;
        this.onOverflow = onOverflow;
        this.recording = true;
    }

    /** The headers before the controller. */
    Map<String, List<String>> headersBefore() {
        return before;
    }

    /** The headers as they are now. */
    Map<String, List<String>> headers() {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String name : getHeaderNames()) {
            headers.put(name, new ArrayList<>(getHeaders(name)));
        }
        String type = getContentType(); // some containers do not list it
        if (type != null) {
            headers.put("Content-Type", List.of(type));
        }
        return headers;
    }

    @Nullable
    SentError error() {
        return error;
    }

    byte[] body() {
        flushWriter();
        return recorded.toByteArray();
    }

    /** Sends what was held back, and holds back nothing any more. */
    void release() throws IOException {
        if (!recording) {
            return;
        }
        byte[] body = body();
        recording = false;
        if (error != null) {
            if (error.reason() == null) {
                super.sendError(error.status());
            } else {
                super.sendError(error.status(), error.reason());
            }
        } else if (body.length > 0) {
            super.getOutputStream().write(body);
        }
    }

    /** Forgets the answer, as if the controller had not written one. */
    void discard() {
        reset();
        before.forEach((name, values) -> values.forEach(value -> addHeader(name, value)));
        onOverflow = null;
    }

    private void flushWriter() {
        if (writer != null) {
            writer.flush();
        }
    }

    private void forgetBody() {
        flushWriter();
        recorded.reset();
    }

    @Override
    public int getStatus() {
        return error == null ? super.getStatus() : error.status();
    }

    @Override
    public void sendError(int status) throws IOException {
        if (recording) {
            forgetBody();
            error = new SentError(status, null);
        } else {
            super.sendError(status);
        }
    }

    @Override
    public void sendError(int status, String reason) throws IOException {
        if (recording) {
            forgetBody();
            error = new SentError(status, reason);
        } else {
            super.sendError(status, reason);
        }
    }

    @Override
    public boolean isCommitted() {
        return error != null || super.isCommitted();
    }

    @Override
    public void flushBuffer() throws IOException {
        flushWriter();
        if (!recording) {
            super.flushBuffer();
        }
    }

    @Override
    public void resetBuffer() {
        if (recording) {
            forgetBody();
        }
        super.resetBuffer();
    }

    @Override
    public void reset() {
        if (recording) {
            forgetBody();
            error = null;
        }
        super.reset();
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            if (!recording) {
                return super.getOutputStream();
            }
            stream = new Recorder();
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            if (!recording) {
                return super.getWriter();
            }
            setCharacterEncoding(getCharacterEncoding()); // part of the content type from now on, as without recording
            writer = new PrintWriter(new OutputStreamWriter(getOutputStream(), getCharacterEncoding()));
        }
        return writer;
    }

    private final class Recorder extends ServletOutputStream {
        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Runnable overflow = onOverflow;
            if (recording && error == null && overflow != null && length > limit - recorded.size()) {
                onOverflow = null;
                overflow.run();
                release();
            }
            if (!recording) {
                RecordedResponse.super.getOutputStream().write(bytes, offset, length);
            } else if (error == null) {
                recorded.write(bytes, offset, length);
            }
        }

        @Override
        public void flush() throws IOException {
            if (!recording) {
                RecordedResponse.super.getOutputStream().flush();
            }
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException("answers with @Idempotent are written without a listener");
        }
    }
}
