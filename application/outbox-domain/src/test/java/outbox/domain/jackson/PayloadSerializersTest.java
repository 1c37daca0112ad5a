package outbox.domain.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PayloadSerializersTest {
    /** A class path on which some packages are missing. */
    private static ClassLoader without(String... packages) {
        return new ClassLoader(PayloadSerializersTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                for (String missing : packages) {
                    if (name.startsWith(missing)) {
                        throw new ClassNotFoundException(name);
                    }
                }
                return super.loadClass(name, resolve);
            }
        };
    }

    @Test
    void jackson3IsTakenWhereBothAreThere() {
        assertThat(PayloadSerializers.detect()).isInstanceOf(Jackson3PayloadSerializer.class);
    }

    @Test
    void jackson2IsTakenWhereItIsAlone() {
        assertThat(PayloadSerializers.detect(without("tools.jackson"))).isInstanceOf(Jackson2PayloadSerializer.class);
    }

    @Test
    void withoutAnyTheMessageNamesBoth() {
        assertThatThrownBy(() -> PayloadSerializers.detect(without("tools.jackson", "com.fasterxml")))
                .hasMessageContaining("tools.jackson.core:jackson-databind")
                .hasMessageContaining("com.fasterxml.jackson.core:jackson-databind");
    }
}
