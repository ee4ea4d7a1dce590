package io.stoker.common.text;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Tells which variables and settings are not to be shown, by their names and looks. */
public final class Secrets {
  /** Stands for what is hidden. */
  public static final String HIDDEN = "(hidden)";

  private static final Pattern BETWEEN = Pattern.compile("[^A-Z0-9]+");
  private static final Set<String> WORDS =
      Set.of(
          "KEY",
          "KEYS",
          "PASS",
          "PW",
          "PASSPHRASE",
          "CREDENTIAL",
          "CREDENTIALS",
          "AUTH",
          "AUTHORIZATION",
          "COOKIE",
          "PRIVATE",
          "DSN",
          "SECRETS",
          "PASSWORDS",
          "BEARER",
          "PAT",
          "SIGNATURE",
          "SAS");
  private static final Pattern ENDS =
      Pattern.compile(".*(SECRET|TOKEN|PASSWORD|PASSWD|APIKEY|ACCESSKEY|PASSPHRASE)");

  /** An address with a password in it. */
  private static final Pattern WITH_PASSWORD =
      Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://[^/@\\s]*:[^/@\\s]+@");

  private Secrets() {}

  /** What is shown of a variable or a setting. */
  public static String shown(String name, String value) {
    return isSecret(name, value) ? HIDDEN : value;
  }

  private static boolean isSecret(String name, String value) {
    for (String word : BETWEEN.split(name.toUpperCase(Locale.ROOT))) {
      if (WORDS.contains(word) || ENDS.matcher(word).matches()) {
        return true;
      }
    }
    return WITH_PASSWORD.matcher(value).find();
  }
}
