package dev.loom.cli.importing;

import dev.loom.Loom;
import dev.loom.api.Index;
import dev.loom.api.Source;
import dev.loom.cli.archive.ArchiveSchema;
import dev.loom.cli.console.CommandFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sources that archives are imported into. Sources of the same name in several archives become one if they are alike. A name
 * that an archive has several times, since its source was closed and defined again, is defined as often, each when its first
 * record comes; where the store has the first of them, from an earlier archive, the others follow. Archives of one store have the
 * same sources by id.
 */
final class ArchivedSources {
    /** A source to be, with the indexes that any archive has for it. */
    private static final class Target {
        private final String name;
        private final Source source;
        private final Map<String, Index> indexes = new LinkedHashMap<>();
        /** Whether an archive has several sources of its name. */
        private final boolean several;
        /** The one that the store has; null if it is to be defined. */
        private @Nullable Source existing;

        /** The stores whose archives have it, and those of them that have closed it. */
        private final Set<String> stores = new HashSet<>();

        private final Set<String> closedBy = new HashSet<>();
        private int id;

        private Target(String name, Source source, boolean several, @Nullable Source existing) {
            this.name = name;
            this.source = source;
            this.several = several;
            this.existing = existing;
        }

        private boolean alike(Source other) {
            return ArchivedSources.alike(source, other);
        }

        /** Whether no archive of a later range has records of it. */
        private boolean closed() {
            return closedBy.size() == stores.size();
        }
    }

    private final Map<String, List<Source>> existing;
    private final Consumer<String> tell;
    private final List<Map<Integer, Target>> byArchive = new ArrayList<>();
    /** The targets of archives of one store with one prefix, by the ids there. */
    private final Map<String, Map<Integer, Target>> byStore = new HashMap<>();
    /** The targets of each name, in the order in which they are defined. */
    private final Map<String, List<Target>> byName = new LinkedHashMap<>();

    /**
     * Starts without any.
     *
     * @param existing those that the store has
     */
    ArchivedSources(List<Source> existing, Consumer<String> tell) {
        this.existing = existing.stream().collect(Collectors.groupingBy(Source::name));
        this.tell = tell;
    }

    /**
     * Adds the sources of the next archive.
     *
     * @param prefix in front of their names
     * @throws CommandFailure if another archive or the store has a source of the same name that differs
     */
    void add(ArchiveSchema schema, String prefix) {
        Map<Integer, Target> targets = new HashMap<>();
        String store = schema.storeId() + " " + prefix;
        Map<Integer, Target> ofStore = byStore.computeIfAbsent(store, key -> new HashMap<>());
        Map<String, Long> counts =
                schema.sources().stream().collect(Collectors.groupingBy(Source::name, Collectors.counting()));
        for (Source source : schema.sources()) {
            // a source that has lost its definition is named by a sign that no definition may have
            String name = prefix + source.name().replaceFirst("^#", "lost-");
            boolean several = counts.getOrDefault(source.name(), 1L) > 1;
            Target known = ofStore.get(source.id());
            boolean same = known != null && known.name.equals(name) && known.alike(source);
            Target target =
                    known != null && same ? known : target(name, source, several, targets.values(), ofStore.values());
            targets.put(source.id(), target);
            target.stores.add(store);
            if (source.closed()) {
                target.closedBy.add(store);
            }
        }
        ofStore.putAll(targets);
        for (Index index : schema.indexes()) {
            Target target = Objects.requireNonNull(targets.get(index.sourceId()));
            Index other = target.indexes.putIfAbsent(index.name(), index);
            if (other != null && !definition(other).equals(definition(index))) {
                throw CommandFailure.usage("archives have different indexes of one name: source="
                        + target.name + ", index=" + index.name() + ", definitions=" + definition(other) + ", "
                        + definition(index) + "; --prefix keeps the sources apart");
            }
        }
        byArchive.add(targets);
    }

    private static String definition(Index index) {
        return index.kindText()
                + ' '
                + index.function().text()
                + ' '
                + index.bins().text();
    }

    /**
     * The target of a source.
     *
     * @param several whether the archive has several sources of its name
     */
    private Target target(
            String name,
            Source source,
            boolean several,
            Collection<Target> ofThisArchive,
            Collection<Target> ofThisStore) {
        List<Target> known = byName.computeIfAbsent(name, key -> new ArrayList<>());
        boolean again = known.stream().anyMatch(ofThisArchive::contains);
        if (!known.isEmpty() && !again) {
            Target other = known.get(0);
            if (known.size() > 1 || !other.alike(source)) {
                throw CommandFailure.usage("archives have different sources of one name: source=" + name + ", formats="
                        + other.source.format().text() + ", " + source.format().text() + ", attributes="
                        + other.source.attributes() + ", " + source.attributes()
                        + "; --prefix or --by-host keeps them apart");
            }
            return other;
        }
        boolean shared = again && !ofThisStore.contains(known.get(0));
        if (shared && byArchive.stream().anyMatch(targets -> targets.containsValue(known.get(0)))) {
            throw CommandFailure.usage("archives share a source that one of them has closed and defined again: source="
                    + name + "; --prefix or --by-host keeps them apart");
        }
        List<Source> there = existing.getOrDefault(name, List.of());
        Source found;
        if (several) {
            found = known.size() < there.size() ? there.get(known.size()) : null;
        } else {
            Source open =
                    there.stream().filter(each -> !each.closed()).findFirst().orElse(null);
            found = open == null ? closedBefore(source, there) : open;
        }
        Target target = new Target(name, source, several, found);
        requireAlike(target, found);
        known.add(target);
        return target;
    }

    /** The one that has all records of a source which is closed in its archive, and has none there; null if there is none. */
    private static @Nullable Source closedBefore(Source source, List<Source> there) {
        Source last = source.closed() && !there.isEmpty() ? there.get(there.size() - 1) : null;
        return last != null && alike(source, last) ? last : null;
    }

    private static boolean alike(Source source, Source other) {
        return source.format().equals(other.format()) && source.attributes().equals(other.attributes());
    }

    private static void requireAlike(Target target, @Nullable Source open) {
        if (open != null && !target.alike(open)) {
            throw CommandFailure.usage("the store has a different source of this name: source=" + target.name
                    + ", format=" + open.format().text() + ", attributes=" + open.attributes() + ", archive's format="
                    + target.source.format().text() + ", archive's attributes=" + target.source.attributes()
                    + "; --prefix gives it another name");
        }
    }

    /** Defines the first source of each name. */
    void define(Loom loom) {
        byName.values().forEach(targets -> define(loom, targets.get(0)));
    }

    /** The id of a record's source, which is defined if it is not yet. */
    int id(Loom loom, int archive, int sourceId) {
        Target target = target(archive, sourceId);
        if (target.existing != null && target.existing.closed()) {
            if (target.several) {
                throw CommandFailure.usage("the store has closed the source, and takes no more records of it: source="
                        + target.name + ", id=" + target.id + "; --prefix gives it another name");
            }
            target.existing = null; // it is another one, as it has more records
            target.id = 0;
        }
        return defined(loom, target);
    }

    /** The id of a source that lost records, which the store may have closed. */
    int lossyId(Loom loom, int archive, int sourceId) {
        return defined(loom, target(archive, sourceId));
    }

    private Target target(int archive, int sourceId) {
        Target target = byArchive.get(archive).get(sourceId);
        if (target == null) {
            throw new IllegalArgumentException("source is not in the archive: id=" + sourceId);
        }
        return target;
    }

    private int defined(Loom loom, Target target) {
        if (target.id == 0) {
            List<Target> successive = byName.getOrDefault(target.name, List.of());
            successive.subList(0, successive.indexOf(target) + 1).forEach(next -> define(loom, next));
        }
        return target.id;
    }

    /** Defines a source, after closing the one before it of the same name, unless the store has it. */
    private void define(Loom loom, Target target) {
        if (target.id != 0) {
            return;
        }
        Source there = target.existing;
        try {
            loom.source(target.name)
                    .filter(source -> there == null && !source.closed())
                    .ifPresent(source -> loom.closeSource(source.id()));
            target.id = there == null
                    ? loom.defineSource(target.name, target.source.format(), target.source.attributes())
                    : there.id();
            if (there != null && there.closed()) {
                return;
            }
            target.indexes.values().forEach(index -> define(loom, target, index));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage() + ", source=" + target.name);
        }
    }

    private void define(Loom loom, Target target, Index index) {
        if (!index.function().isReadable()) {
            tell.accept("index is left out, its function is a program's own: source=" + target.name + ", index="
                    + index.name());
        } else if (index.kind() == Index.Kind.EVENT_TIME) {
            loom.defineEventTimeIndex(target.id, index.name(), index.function());
        } else if (index.key() != null) {
            List<String> by = index.key().fields();
            loom.defineIndex(target.id, index.name(), index.function(), index.bins(), by);
        } else {
            loom.defineIndex(target.id, index.name(), index.function(), index.bins());
        }
    }

    /**
     * Defines the sources that have no records, and closes those that are closed in their archives, unless the store had them: others may
     * write to these. Of a name that was defined again, those behind the last one with records are left to later archives.
     */
    void end(Loom loom) {
        for (List<Target> targets : byName.values()) {
            define(loom, targets.get(0));
            Target last = targets.get(targets.size() - 1);
            if (last.id != 0 && last.closed() && last.existing == null) {
                loom.closeSource(last.id);
            } else if (last.id != 0 && last.closed() && last.existing != null && !last.existing.closed()) {
                tell.accept(
                        "source stays open, as the store had it and others may write to it; in the archive it is closed: source="
                                + last.name);
            }
        }
    }

    /** How many of them the store doesn't have. */
    int missing() {
        return (int) byName.values().stream()
                .flatMap(List::stream)
                .filter(target -> target.existing == null)
                .count();
    }

    int count() {
        return byName.values().stream().mapToInt(List::size).sum();
    }
}
