package dev.loom.otlp.file;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * Describes a failed file operation: what was done, to which file, and why. The platform's exceptions often have only the
 * path as their message, and the reason as their class.
 */
public final class FileFailure {
    private FileFailure() {}

    /**
     * An exception to throw in place of the platform's.
     *
     * @param problem what can't be done, such as {@code can't read the token}
     */
    public static IOException of(String problem, Path file, IOException cause) {
        return new IOException(message(problem, file, cause), cause);
    }

    /** The message of such an exception. */
    public static String message(String problem, Path file, IOException cause) {
        return problem + ": file=" + file + ", reason=" + reason(cause);
    }

    /** What the platform's exception says, with its file if it has one. */
    public static String describe(IOException failure) {
        return failure instanceof FileSystemException named && named.getFile() != null
                ? "file=" + named.getFile() + ", reason=" + reason(failure)
                : reason(failure);
    }

    /** The reason, without the file. */
    public static String reason(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file";
        } else if (failure instanceof AccessDeniedException) {
            return "permission denied";
        } else if (failure instanceof FileAlreadyExistsException) {
            return "file exists";
        } else if (failure instanceof NotDirectoryException) {
            return "not a directory";
        } else if (failure instanceof DirectoryNotEmptyException) {
            return "directory is not empty";
        } else if (failure instanceof CharacterCodingException) {
            return "not text in UTF-8";
        }
        String reason = failure instanceof FileSystemException named ? named.getReason() : failure.getMessage();
        return reason == null || reason.isEmpty() ? failure.getClass().getSimpleName() : reason;
    }
}
