package dev.loom.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads the project's classes once more, those of some packages with a call of {@link AllocationFaults#before} at each allocation: of
 * an object, an array, a lambda with its variables, and in a method of the JDK that may be one.
 */
final class AllocationFaultsLoader extends ClassLoader {
    private static final String PROJECT = "dev.loom.";
    private static final String FAULTS = AllocationFaults.class.getName();
    /** The packages of the store. */
    static final Set<String> STORE = Set.of("index", "io", "log", "record", "recorder", "schema", "store");

    /** Methods that return what there is already. */
    private static final Set<String> QUIET = Set.of(
            "byteBuffer",
            "clear",
            "clearProperty",
            "currentThread",
            "flip",
            "get",
            "getProperties",
            "getThreadGroup",
            "limit",
            "position",
            "put",
            "putInt",
            "putLong",
            "putShort",
            "remove",
            "requireNonNull",
            "rewind");

    /** Methods that allocate though they return no object. */
    private static final Set<String> LOUD =
            Set.of("add", "addAll", "ensureCapacity", "force", "merge", "put", "read", "sort", "truncate", "write");

    private final Set<String> changed;

    /** @param changed the packages whose classes are changed, without what is before or behind their first name */
    AllocationFaultsLoader(Set<String> changed) {
        super(AllocationFaultsLoader.class.getClassLoader());
        this.changed = changed;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PROJECT) || name.equals(FAULTS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = file.readAllBytes();
            String[] parts = name.split("\\.", 4);
            byte[] code = parts.length == 4 && changed.contains(parts[2]) ? change(bytes) : bytes;
            return defineClass(name, code, 0, code.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] change(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public @Nullable MethodVisitor visitMethod(
                            int access,
                            String name,
                            String descriptor,
                            @Nullable String signature,
                            String @Nullable [] exceptions) {
                        MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
                        return name.equals("<clinit>")
                                ? method
                                : new Allocations(method, reader.getClassName() + '.' + name);
                    }
                },
                0);
        return writer.toByteArray();
    }

    /** Puts the calls into one method. */
    private static final class Allocations extends MethodVisitor {
        private final String place;
        private int count;

        Allocations(MethodVisitor method, String place) {
            super(Opcodes.ASM9, method);
            this.place = place;
        }

        private void before(String what) {
            int site = AllocationFaults.addSite(place + '#' + count++ + ' ' + what);
            super.visitLdcInsn(site);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, FAULTS.replace('.', '/'), "before", "(I)V", false);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            super.visitMaxs(maxStack + 1, maxLocals);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            super.visitTypeInsn(opcode, type);
            // behind it, as a frame may name the place of the instruction; what is there is not begun yet
            if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) {
                before(type);
            }
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            super.visitIntInsn(opcode, operand);
            if (opcode == Opcodes.NEWARRAY) {
                before("array");
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            if (!descriptor.startsWith("()")) {
                before(name);
            }
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            boolean outside = !owner.startsWith("dev/loom/") && !owner.startsWith("[") && !name.startsWith("<");
            boolean givesObject = descriptor.contains(")L") || descriptor.contains(")[");
            boolean collection = owner.startsWith("java/util/") || owner.startsWith("java/nio/channels/");
            if (outside && (givesObject ? !QUIET.contains(name) : collection && LOUD.contains(name))) {
                before(owner + '.' + name);
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
    }
}
