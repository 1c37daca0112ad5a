package outbox.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a message that break readers of the old one. Numbers and wire types decide, not names: a field may be renamed,
 * but its number must not be used for anything else.
 */
final class MessageDifference {
    /** Types a reader of one can read as another, with values that fit. */
    private static final List<Set<FieldDescriptor.Type>> ALIKE = List.of(
            Set.of(
                    FieldDescriptor.Type.INT32,
                    FieldDescriptor.Type.UINT32,
                    FieldDescriptor.Type.INT64,
                    FieldDescriptor.Type.UINT64,
                    FieldDescriptor.Type.BOOL,
                    FieldDescriptor.Type.ENUM),
            Set.of(FieldDescriptor.Type.SINT32, FieldDescriptor.Type.SINT64),
            Set.of(FieldDescriptor.Type.STRING, FieldDescriptor.Type.BYTES),
            Set.of(FieldDescriptor.Type.FIXED32, FieldDescriptor.Type.SFIXED32),
            Set.of(FieldDescriptor.Type.FIXED64, FieldDescriptor.Type.SFIXED64));

    private final BiConsumer<String, String> change;
    private final Set<String> compared = new HashSet<>();

    MessageDifference(BiConsumer<String, String> change) {
        this.change = change;
    }

    void compare(Descriptor old, Descriptor now) {
        compare("", old, now);
    }

    private void compare(String path, Descriptor old, Descriptor now) {
        if (!compared.add(old.getFullName() + " " + now.getFullName())) {
            return; // messages may hold themselves
        }
        for (FieldDescriptor field : old.getFields()) {
            String at = path + "/" + field.getName();
            FieldDescriptor other = now.findFieldByNumber(field.getNumber());
            if (other == null) {
                removed(at, field, now);
            } else {
                compare(at, field, other);
            }
        }
        for (FieldDescriptor field : now.getFields()) {
            if (old.findFieldByNumber(field.getNumber()) == null) {
                added(path + "/" + field.getName(), field, old);
            }
        }
    }

    private void removed(String at, FieldDescriptor field, Descriptor now) {
        if (field.isRequired()) {
            change.accept(at, "a required field was removed: readers refuse the message without it");
        } else if (!isReserved(now, field.getNumber())) {
            change.accept(
                    at,
                    "field " + field.getNumber()
                            + " was removed and its number is not reserved: another field could take it");
        } else {
            change.accept(at, "field " + field.getNumber() + " was removed: readers get its default");
        }
    }

    private void added(String at, FieldDescriptor field, Descriptor old) {
        if (isReserved(old, field.getNumber())) {
            change.accept(at, "field " + field.getNumber() + " takes a number that was reserved");
        }
    }

    private static boolean isReserved(Descriptor message, int number) {
        return message.toProto().getReservedRangeList().stream()
                .anyMatch(range -> number >= range.getStart() && number < range.getEnd());
    }

    private void compare(String at, FieldDescriptor old, FieldDescriptor now) {
        if (old.isRepeated() != now.isRepeated()) {
            change.accept(
                    at,
                    "it is " + (now.isRepeated() ? "repeated now: readers get one value" : "not repeated any more"));
        } else if (!areAlike(old, now)) {
            change.accept(
                    at,
                    "its type changed from " + old.getType() + " to " + now.getType()
                            + ": readers do not understand the bytes");
        } else if (old.getType() == FieldDescriptor.Type.MESSAGE || old.getType() == FieldDescriptor.Type.GROUP) {
            compare(at, old.getMessageType(), now.getMessageType());
        } else if (old.getType() == FieldDescriptor.Type.ENUM && now.getType() == FieldDescriptor.Type.ENUM) {
            compare(at, old.getEnumType(), now.getEnumType());
        }
        if (old.isRequired() && !now.isRequired()) {
            change.accept(at, "it is not required any more: readers refuse a message without it");
        }
        if (isOneof(now) && !isOneof(old)) {
            change.accept(at, "it moved into a oneof: setting another field of it clears this one");
        }
    }

    private static boolean isOneof(FieldDescriptor field) {
        return field.getRealContainingOneof() != null;
    }

    private static boolean areAlike(FieldDescriptor old, FieldDescriptor now) {
        return old.getType() == now.getType()
                || ALIKE.stream().anyMatch(alike -> alike.contains(old.getType()) && alike.contains(now.getType()));
    }

    private void compare(String at, EnumDescriptor old, EnumDescriptor now) {
        for (EnumValueDescriptor value : now.getValues()) {
            @Nullable EnumValueDescriptor known = old.findValueByNumber(value.getNumber());
            if (known == null) {
                change.accept(at, "the value " + value.getName() + " is new: readers do not know it");
            }
        }
    }
}
