package outbox.spring.boot.idempotent;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A request whose body can be read by us first, and then by the controller. */
final class BufferedRequest extends HttpServletRequestWrapper {
    private byte @Nullable [] body;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;
    private boolean recorded;
    private boolean synchronous;

    BufferedRequest(HttpServletRequest request) {
        super(request);
    }

    /** @return {@code null} if it is larger */
    byte @Nullable [] buffer(int limit) throws IOException {
        byte[] read = super.getInputStream().readNBytes(limit + 1);
        if (read.length > limit) {
            return null;
        }
        if (read.length == 0 && getContentLengthLong() > 0) {
            throw new IllegalStateException("the body was read by a filter or an interceptor before @Idempotent could"
                    + " compare it; make that filter pass on a request whose body can be read again");
        }
        body = read;
        return read;
    }

    /**
     * From now on it cannot be forwarded: Tomcat ends the response after a forward, before it could be stored and sent.
     *
     * @param synchronous nor can it be continued on another thread, where its transaction is not
     */
    void restrict(boolean synchronous) {
        this.recorded = true;
        this.synchronous = synchronous;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        byte[] buffered = body;
        if (buffered == null) {
            return super.getInputStream();
        }
        if (stream == null) {
            stream = new BufferedBody(buffered);
        }
        return stream;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (body == null) {
            return super.getReader();
        }
        if (reader == null) {
            String charset = getCharacterEncoding();
            reader = new BufferedReader(
                    charset == null
                            ? new InputStreamReader(getInputStream(), StandardCharsets.ISO_8859_1)
                            : new InputStreamReader(getInputStream(), charset));
        }
        return reader;
    }

    @Override
    public @Nullable RequestDispatcher getRequestDispatcher(String path) {
        RequestDispatcher dispatcher = super.getRequestDispatcher(path);
        return dispatcher == null || !recorded ? dispatcher : new IncludeOnly(dispatcher, path);
    }

    @Override
    public AsyncContext startAsync() {
        refuse();
        return super.startAsync();
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        refuse();
        return super.startAsync(request, response);
    }

    private void refuse() {
        if (synchronous) {
            throw new IllegalStateException("a controller method with @Idempotent answers asynchronously, on another"
                    + " thread than its transaction; set atomic = false, so that the answer is stored afterwards");
        }
    }

    private record IncludeOnly(RequestDispatcher dispatcher, String path) implements RequestDispatcher {
        @Override
        public void forward(ServletRequest request, ServletResponse response) {
            throw new IllegalStateException("a controller method with @Idempotent forwards to " + path
                    + ", and the answer of a forward cannot be stored; return the answer, or a view that is not a JSP");
        }

        @Override
        public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
            dispatcher.include(request, response);
        }
    }

    private static final class BufferedBody extends ServletInputStream {
        private final ByteArrayInputStream bytes;

        BufferedBody(byte[] bytes) {
            this.bytes = new ByteArrayInputStream(bytes);
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return bytes.read(target, offset, length);
        }

        @Override
        public int available() {
            return bytes.available();
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new UnsupportedOperationException("the body was read already: read it without a listener");
        }
    }
}
