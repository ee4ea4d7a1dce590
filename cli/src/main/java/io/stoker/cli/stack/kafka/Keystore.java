package io.stoker.cli.stack.kafka;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A file of PKCS #12 with one key and its certificate, which the JDK's keytool makes.
 *
 * @param password of the file and of the key; keytool wants six characters
 */
public record Keystore(Path file, String password) {
  private static final String ALIAS = "own";
  private static final String TYPE = "PKCS12";
  private static final String ROUNDS = "-Dkeystore.pkcs12.%sIterationCount=1";
  private static final String PASSWORD_VARIABLE = "STOKER_KEYSTORE";

  /**
   * Makes the key, of the curve P-256, and a certificate that it signs itself.
   *
   * @param subject what {@code CN} is
   * @param options more of keytool's, such as {@code -ext bc:c}
   */
  public void generate(String subject, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-genkeypair", "-dname", "CN=" + subject));
    arguments.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
    arguments.addAll(List.of(options));
    keytool(arguments.toArray(String[]::new));
  }

  /** Has keytool do something else with the key. */
  public void keytool(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    // It is over before the second compiler has paid for itself.
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    // They make guesses at a password dear, and nobody guesses one that is as long as a key.
    command.addAll(List.of("-J" + ROUNDS.formatted("mac"), "-J" + ROUNDS.formatted("keyPbe")));
    command.addAll(List.of(arguments));
    command.addAll(List.of("-alias", ALIAS, "-storetype", TYPE, "-keystore", file.toString()));
    command.addAll(List.of("-storepass:env", PASSWORD_VARIABLE));
    ProcessBuilder tool = new ProcessBuilder(command).redirectErrorStream(true);
    tool.environment().put(PASSWORD_VARIABLE, password);
    Process process = tool.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException("keytool failed on %s: %s".formatted(file, said.strip()));
    }
  }

  /** The certificate, as PEM. */
  public String certificate() throws IOException {
    try {
      return pem("CERTIFICATE", open().getCertificate(ALIAS).getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IOException("there is no certificate in " + file, e);
    }
  }

  /** The key, as PEM of PKCS #8. */
  public String key() throws IOException {
    try {
      return pem("PRIVATE KEY", open().getKey(ALIAS, password.toCharArray()).getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IOException("there is no key in " + file, e);
    }
  }

  /** What the file holds. */
  public KeyStore open() throws IOException, GeneralSecurityException {
    return KeyStore.getInstance(file.toFile(), password.toCharArray());
  }

  private static String pem(String label, byte[] encoded) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label, lines);
  }
}
