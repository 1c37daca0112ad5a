package outbox.jdbc.tx;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Savepoint;

/**
 * The connection passed to business code. It tracks savepoints and rollbacks to them, so that events written in between
 * are not delivered.
 */
final class SavepointWatch implements InvocationHandler {
    private final Connection connection;
    private final ThreadLocalTxContext txContext;

    private SavepointWatch(Connection connection, ThreadLocalTxContext txContext) {
        this.connection = connection;
        this.txContext = txContext;
    }

    static Connection over(Connection connection, ThreadLocalTxContext txContext) {
        return (Connection) Proxy.newProxyInstance(
                SavepointWatch.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new SavepointWatch(connection, txContext));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
        if (method.getName().equals("equals")) {
            return proxy == args[0];
        }
        if (method.getName().equals("unwrap") && ((Class<?>) args[0]).isInstance(connection)) {
            return connection;
        }
        Object result;
        try {
            result = method.invoke(connection, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (result instanceof Savepoint set) {
            txContext.savepointSet(set);
        } else if (method.getName().equals("rollback") && args != null) {
            txContext.rolledBackTo((Savepoint) args[0]);
        } else if (method.getName().equals("rollback")) {
            txContext.rolledBackToItsBeginning();
        }
        return result;
    }
}
