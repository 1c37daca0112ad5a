package outbox.torture.worker;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;

/** The real store and the real connections, with a place for a fault before or after a call. */
final class FaultyParts {
    private FaultyParts() {}

    /** What happens around a call of one method. */
    interface Around {
        default void before(String method) throws Exception {}

        default void after(String method) throws Exception {}
    }

    static LeasingOutboxStore store(LeasingOutboxStore real, Around around) {
        return proxy(LeasingOutboxStore.class, real, around);
    }

    static ConnectionProvider connections(ConnectionProvider real, Around around) {
        return () -> proxy(Connection.class, real.getConnection(), around);
    }

    private static <T> T proxy(Class<T> type, T real, Around around) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            around.before(method.getName());
            Object result = invoke(real, method, arguments);
            around.after(method.getName());
            return result;
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object invoke(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
