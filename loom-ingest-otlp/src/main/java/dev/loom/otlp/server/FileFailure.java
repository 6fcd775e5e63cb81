package dev.loom.otlp.server;

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
 * Says of an operation on a file that failed what was done, with which file, and why: the platform's exceptions have the path
 * alone for a message where their class is the reason.
 */
public final class FileFailure {
    private FileFailure() {}

    /**
     * An exception to be thrown in place of the platform's.
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

    /** What the platform's exception says, with its file if it knows one. */
    public static String describe(IOException failure) {
        return failure instanceof FileSystemException named && named.getFile() != null
                ? "file=" + named.getFile() + ", reason=" + reason(failure)
                : reason(failure);
    }

    /** Why, without the file. */
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
