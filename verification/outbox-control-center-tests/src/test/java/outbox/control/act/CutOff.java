package outbox.control.act;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The connections of a server that is cut off from all databases in the middle of its work, as by a crash. */
final class CutOff {
    private final AtomicInteger left;

    /** @param connections as many of those counted are had before the end */
    CutOff(int connections) {
        this.left = new AtomicInteger(connections);
    }

    boolean happened() {
        return left.get() < 0;
    }

    DataSource counted(DataSource real) {
        return with(real, 1);
    }

    DataSource uncounted(DataSource real) {
        return with(real, 0);
    }

    private DataSource with(DataSource real, int cost) {
        return (DataSource) Proxy.newProxyInstance(
                CutOff.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (left.addAndGet(-cost) < 0) {
                        throw new SQLException("cut off");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
