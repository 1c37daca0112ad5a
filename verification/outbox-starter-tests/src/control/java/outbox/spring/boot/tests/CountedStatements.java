package outbox.spring.boot.tests;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Puts every data source of an application behind a count of what is sent to the database through it. */
final class CountedStatements implements BeanPostProcessor {
    private static final Set<String> QUESTIONS_TO_THE_CATALOG = Set.of("getTables", "getColumns", "getIndexInfo");

    private final List<String> sent = new CopyOnWriteArrayList<>();

    /** All statements so far, in their order. */
    List<String> sent() {
        return List.copyOf(sent);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource dataSource ? around(DataSource.class, dataSource, "") : bean;
    }

    @SuppressWarnings("unchecked")
    private <T> T around(Class<T> type, T target, String sql) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            if (target instanceof Statement && method.getName().startsWith("execute")) {
                sent.add(args == null || args.length == 0 ? sql : String.valueOf(args[0]));
            } else if (target instanceof DatabaseMetaData && QUESTIONS_TO_THE_CATALOG.contains(method.getName())) {
                sent.add(method.getName());
            }
            Object result;
            try {
                result = method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("unwrap")) {
                return result;
            }
            if (result instanceof Connection connection && !(target instanceof Statement)) {
                return around(Connection.class, connection, "");
            }
            if (result instanceof PreparedStatement statement) {
                return around(PreparedStatement.class, statement, String.valueOf(args[0]));
            }
            if (result instanceof Statement statement && target instanceof Connection) {
                return around(Statement.class, statement, "");
            }
            return result instanceof DatabaseMetaData metaData ? around(DatabaseMetaData.class, metaData, "") : result;
        });
    }
}
