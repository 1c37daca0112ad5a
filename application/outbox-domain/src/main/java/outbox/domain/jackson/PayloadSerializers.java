package outbox.domain.jackson;

import outbox.domain.type.PayloadSerializer;

/** Finds the JSON library of the application. */
public final class PayloadSerializers {
    private static final String JACKSON_3 = "tools.jackson.databind.json.JsonMapper";
    private static final String JACKSON_2 = "com.fasterxml.jackson.databind.ObjectMapper";

    private PayloadSerializers() {}

    /**
     * Jackson 3 where it is on the class path, else Jackson 2.
     *
     * @throws IllegalStateException if there is neither; the message names the artifacts
     */
    public static PayloadSerializer detect() {
        return detect(PayloadSerializers.class.getClassLoader());
    }

    static PayloadSerializer detect(ClassLoader classes) {
        if (isPresent(classes, JACKSON_3)) {
            return new Jackson3PayloadSerializer();
        }
        if (isPresent(classes, JACKSON_2)) {
            return new Jackson2PayloadSerializer();
        }
        throw new IllegalStateException("no JSON library is on the class path: add tools.jackson.core:jackson-databind"
                + " or com.fasterxml.jackson.core:jackson-databind, or implement PayloadSerializer");
    }

    private static boolean isPresent(ClassLoader classes, String name) {
        try {
            Class.forName(name, false, classes);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
