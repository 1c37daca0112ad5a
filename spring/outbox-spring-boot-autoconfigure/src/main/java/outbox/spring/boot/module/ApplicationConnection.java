package outbox.spring.boot.module;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * How the application itself connects to a server, as a bean, connection details or {@code spring.*} properties say.
 *
 * @param origin where that is configured, for messages
 * @param server {@code null} if there is none that the outbox can use
 * @param problem why there is none, if there is none
 */
record ApplicationConnection<S>(String origin, @Nullable S server, String problem) {
    private static final Logger LOG = System.getLogger(ApplicationConnection.class.getName());

    static <S> ApplicationConnection<S> of(String origin, S server) {
        return new ApplicationConnection<>(origin, server, "");
    }

    static <S> ApplicationConnection<S> none(String origin, String problem) {
        return new ApplicationConnection<>(origin, null, problem);
    }

    /**
     * The server of the only bean of a type, or of the primary one.
     *
     * @param type in messages, such as {@code ProducerFactory}
     * @param server {@code null} for a bean that the outbox cannot use
     * @param unsupported why it cannot use such a bean, after its name
     */
    static <B, S> ApplicationConnection<S> ofBean(
            String type, ObjectProvider<B> beans, Function<B, @Nullable S> server, String unsupported) {
        B bean = beans.getIfUnique();
        if (bean == null) {
            return none("the " + type + " beans", "there are several " + type + " beans and none is @Primary");
        }
        String origin = "the " + type + " bean";
        S found = server.apply(bean);
        return found == null
                ? none(origin, origin + ", a " + bean.getClass().getName() + ", " + unsupported)
                : of(origin, found);
    }

    /**
     * Chooses the server of the outbox and logs where it is configured.
     *
     * @param own a server of the outbox alone, which wins; {@code null} if there is none
     * @param property that names it
     * @param use what the outbox does with the server, for the log
     * @param missing what to throw without any server, given the problem
     */
    S orOwn(
            @Nullable S own,
            String property,
            Function<S, String> use,
            Function<String, ? extends RuntimeException> missing) {
        S chosen = own == null ? server : own;
        if (chosen == null) {
            throw missing.apply(problem);
        }
        LOG.log(
                Level.INFO,
                use.apply(chosen) + ", as " + (own == null ? origin : property) + " says"
                        + (own == null || server == null ? "" : "; " + origin + " is not used"));
        return chosen;
    }
}
