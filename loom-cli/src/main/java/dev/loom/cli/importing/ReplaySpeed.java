package dev.loom.cli.importing;

import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Parses a speed attached to its option, as in {@code --replay=2}; never takes the next word, which is the file's name. */
final class ReplaySpeed implements IParameterPreprocessor {
    @Override
    public boolean preprocess(
            Stack<String> arguments, CommandSpec command, ArgSpec argument, Map<String, Object> information) {
        if (!"=".equals(information.get("separator"))) {
            argument.setValue(1.0);
            return true;
        }
        return false;
    }
}
