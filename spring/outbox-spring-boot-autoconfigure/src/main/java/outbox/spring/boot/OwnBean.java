package outbox.spring.boot;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import outbox.spring.boot.properties.RefusedSettingsException;

/** A bean of the application in the place of a part of ours. */
final class OwnBean {
    private OwnBean() {}

    /**
     * @return {@code null} if the application has none
     * @throws RefusedSettingsException if there are several and none is primary: one would be ignored
     */
    static <T> @Nullable T of(ListableBeanFactory beans, Class<T> type) {
        T own = beans.getBeanProvider(type).getIfUnique();
        String[] names = own == null ? beans.getBeanNamesForType(type) : new String[0];
        if (names.length > 0) {
            throw new RefusedSettingsException(
                    "there are several " + type.getSimpleName() + " beans, "
                            + Arrays.toString(names)
                            + ", and the outbox uses one",
                    "Make one of them @Primary, or combine them in one bean.");
        }
        return own;
    }
}
