package dev.loom.schema;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map, an AVL tree. Putting makes a new map that shares all nodes except the path to the key, whose
 * length is logarithmic.
 */
final class PersistentMap<K extends Comparable<K>, V> {
    private record Node<K, V>(
            K key,
            V value,
            @Nullable Node<K, V> left,
            @Nullable Node<K, V> right,
            int height,
            int size) {
        static <K, V> Node<K, V> of(K key, V value, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
            int height = 1 + Math.max(heightOf(left), heightOf(right));
            return new Node<>(key, value, left, right, height, 1 + sizeOf(left) + sizeOf(right));
        }

        static int heightOf(@Nullable Node<?, ?> node) {
            return node == null ? 0 : node.height;
        }

        static int sizeOf(@Nullable Node<?, ?> node) {
            return node == null ? 0 : node.size;
        }

        /** The left side's height minus the right side's. */
        int lean() {
            return heightOf(left) - heightOf(right);
        }

        Node<K, V> with(@Nullable Node<K, V> newLeft, @Nullable Node<K, V> newRight) {
            return of(key, value, newLeft, newRight);
        }

        Node<K, V> balanced() {
            Node<K, V> l = left;
            Node<K, V> r = right;
            if (l != null && lean() > 1) {
                Node<K, V> outer = l.lean() < 0 ? l.turnedLeft() : l;
                return with(outer, r).turnedRight();
            }
            if (r != null && lean() < -1) {
                Node<K, V> outer = r.lean() > 0 ? r.turnedRight() : r;
                return with(l, outer).turnedLeft();
            }
            return this;
        }

        private Node<K, V> turnedRight() {
            Node<K, V> up = left;
            return up == null ? this : up.with(up.left, with(up.right, right));
        }

        private Node<K, V> turnedLeft() {
            Node<K, V> up = right;
            return up == null ? this : up.with(with(left, up.left), up.right);
        }
    }

    private final @Nullable Node<K, V> root;

    private PersistentMap(@Nullable Node<K, V> root) {
        this.root = root;
    }

    static <K extends Comparable<K>, V> PersistentMap<K, V> empty() {
        return new PersistentMap<>(null);
    }

    int size() {
        return Node.sizeOf(root);
    }

    @Nullable
    V get(K key) {
        Node<K, V> node = root;
        while (node != null) {
            int order = key.compareTo(node.key);
            if (order == 0) {
                return node.value;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    /** The map with an entry added, or its value replaced. */
    PersistentMap<K, V> with(K key, V value) {
        return new PersistentMap<>(put(root, key, value));
    }

    private static <K extends Comparable<K>, V> Node<K, V> put(@Nullable Node<K, V> node, K key, V value) {
        if (node == null) {
            return Node.of(key, value, null, null);
        }
        int order = key.compareTo(node.key);
        if (order == 0) {
            return Node.of(key, value, node.left, node.right);
        }
        return order < 0
                ? node.with(put(node.left, key, value), node.right).balanced()
                : node.with(node.left, put(node.right, key, value)).balanced();
    }

    /** The highest key, or null if empty. */
    @Nullable
    K lastKey() {
        Node<K, V> node = root;
        while (node != null && node.right != null) {
            node = node.right;
        }
        return node == null ? null : node.key;
    }

    /** The values in the order of their keys, in a new list. */
    List<V> values() {
        List<V> values = new ArrayList<>(size());
        addValues(root, values);
        return values;
    }

    private static <K, V> void addValues(@Nullable Node<K, V> node, List<V> to) {
        if (node != null) {
            addValues(node.left, to);
            to.add(node.value);
            addValues(node.right, to);
        }
    }
}
