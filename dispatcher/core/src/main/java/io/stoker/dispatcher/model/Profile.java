package io.stoker.dispatcher.model;

import io.stoker.common.request.JobRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Identifies jobs that are alike: of one kind and one shape of command, on as many GPUs, and where
 * they are containers, of one image but for figures in its name. The shape of a command is the
 * command without its figures: runs of digits are one, and of {@code --name=value} the name is
 * left.
 */
public final class Profile {
  /** A longer one is cut, and told from others by the hash of the whole. */
  private static final int LONGEST = 200;

  private static final int HASH = 16;
  private static final Pattern KIND = Pattern.compile("[0-9]+ GPU\\(s\\) ([^:]+): ");

  private Profile() {}

  /** The profile of a request's job. */
  public static String of(JobRequest request) {
    String whole =
        request.resources().gpus()
            + " GPU(s) "
            + request.kind()
            + ": "
            + request.image().map(image -> "in " + shape(image) + ": ").orElse("")
            + request.command().stream().map(Profile::shape).collect(Collectors.joining(" "));
    return whole.length() <= LONGEST
        ? whole
        : whole.substring(0, LONGEST - HASH) + hash(whole).substring(0, HASH);
  }

  /** The kind of the jobs of a profile; nothing where the text is none of {@link #of}. */
  public static Optional<String> kind(String profile) {
    Matcher found = KIND.matcher(profile);
    return found.lookingAt() ? Optional.of(found.group(1)) : Optional.empty();
  }

  private static String shape(String word) {
    int value = word.startsWith("-") ? word.indexOf('=') : -1;
    String name = value < 0 ? word : word.substring(0, value);
    StringBuilder shape = new StringBuilder(name.length());
    boolean figures = false;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean figure = c >= '0' && c <= '9';
      if (!figure) {
        shape.append(c);
      } else if (!figures) {
        shape.append('#');
      }
      figures = figure;
    }
    return shape.toString();
  }

  private static String hash(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
