package outbox.spring.boot.test;

import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.core.type.ClassMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import outbox.domain.handler.EventHandler;

/** Excludes application components that are not part of the slice. */
final class SliceFilter extends TypeExcludeFilter {
    private final Set<String> included;

    /** @param included names of classes */
    SliceFilter(Set<String> included) {
        this.included = Set.copyOf(included);
    }

    @Override
    public boolean match(MetadataReader reader, MetadataReaderFactory readers) throws IOException {
        return !reader.getAnnotationMetadata().hasAnnotatedMethods(EventHandler.class.getName())
                && !isIncluded(reader.getClassMetadata(), readers);
    }

    private boolean isIncluded(ClassMetadata type, MetadataReaderFactory readers) throws IOException {
        if (included.contains(type.getClassName())) {
            return true;
        }
        for (String parent : type.getInterfaceNames()) {
            if (included.contains(parent)) {
                return true;
            }
        }
        String parent = type.getSuperClassName();
        return parent != null
                && !parent.startsWith("java.")
                && isIncluded(readers.getMetadataReader(parent).getClassMetadata(), readers);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SliceFilter filter && filter.included.equals(included);
    }

    @Override
    public int hashCode() {
        return included.hashCode();
    }
}
