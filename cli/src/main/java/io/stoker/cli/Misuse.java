package io.stoker.cli;

import io.stoker.common.request.Nearest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with the words of a command line, as the commands themselves say it. */
final class Misuse {
  private Misuse() {}

  static String sentence(ParameterException misuse) {
    CommandSpec command = misuse.getCommandLine().getCommandSpec();
    if (misuse instanceof UnmatchedArgumentException unmatched) {
      return tooMuch(unmatched, command);
    }
    ArgSpec field = misuse.getArgSpec();
    if (field == null || misuse.getValue() == null) {
      return misuse.getMessage();
    }
    if (misuse.getCause() instanceof TypeConversionException conversion) {
      return notOfItsType(field, misuse.getValue(), conversion.getMessage());
    }
    return Map.class.isAssignableFrom(field.type())
        ? "%s is %s, expected %s".formatted(name(field), misuse.getValue(), field.paramLabel())
        : misuse.getMessage();
  }

  private static String tooMuch(UnmatchedArgumentException unmatched, CommandSpec command) {
    List<String> words = unmatched.getUnmatched();
    String first = words.getFirst();
    if (unmatched.isUnknownOption()) {
      return "%s is no option of %s%s"
          .formatted(
              first, command.qualifiedName(), Nearest.hint(first, command.optionsMap().keySet()));
    }
    String hint = Nearest.hint(first, command.subcommands().keySet());
    return hint.isEmpty() && command.parent() != null
        ? "%s takes no %s".formatted(command.qualifiedName(), String.join(" ", words))
        : "%s is no command%s".formatted(first, hint);
  }

  private static String notOfItsType(ArgSpec field, String value, String reason) {
    Class<?> type = field.isMultiValue() ? field.auxiliaryTypes()[0] : field.type();
    if (type.isEnum()) {
      List<String> known = Arrays.stream(type.getEnumConstants()).map(Object::toString).toList();
      return "%s is %s%s, expected one of %s"
          .formatted(name(field), value, Nearest.hint(value, known), String.join(", ", known));
    }
    if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
      return "%s is %s, expected a whole number".formatted(name(field), value);
    }
    return reason.startsWith("is ")
        ? "%s %s".formatted(name(field), reason)
        : "%s: %s".formatted(name(field), reason);
  }

  private static String name(ArgSpec field) {
    return field instanceof OptionSpec option ? option.longestName() : field.paramLabel();
  }
}
