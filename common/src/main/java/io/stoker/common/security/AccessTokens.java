package io.stoker.common.security;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The tokens by which people and programs call REST, as the file of {@code stoker.http.tokens-file}
 * holds them: hashed, so that whoever reads it cannot use them. A token has 256 random bits, which
 * nobody guesses: a plain SHA-256 is enough.
 *
 * @param secret hex; by it dispatchers sign who has posted what
 * @param tokens by name, no two of one name
 */
public record AccessTokens(String secret, List<Token> tokens) {
  /** What every token starts with, so that people and scanners know what it is. */
  public static final String PREFIX = "stk_";

  /** What a token may be called, for people. */
  public static final String NAMES = "1 to 64 of A-Z a-z 0-9 . _ @ -";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,64}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final int BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  public AccessTokens {
    tokens = tokens == null ? List.of() : List.copyOf(tokens);
  }

  /**
   * A token, without itself; or that whoever has this name calls with a certificate.
   *
   * @param name whose it is, and the common name (CN) of the certificate; requests that it posts
   *     bear it
   * @param role its key
   * @param queues which it posts to and changes requests of; empty for all
   * @param hash SHA-256 of the token, hex; null if a certificate is called with
   * @param created ISO 8601
   * @param expires ISO 8601, from when on it is not taken; null if it stays
   */
  public record Token(
      String name, String role, List<String> queues, String hash, String created, String expires) {
    public Token {
      queues = queues == null ? List.of() : List.copyOf(queues);
    }

    /** Whether it has expired. */
    public boolean isOver(Instant now) {
      return expires != null && !now.isBefore(Instant.parse(expires));
    }

    /** Whether there is no token, but a certificate of this name. */
    public boolean byCertificate() {
      return hash == null;
    }

    /** What it may do. */
    @JsonIgnore
    public AccessRole access() {
      return AccessRole.of(role).orElseThrow();
    }

    private Optional<String> flaw() {
      if (name == null || !isName(name)) {
        return Optional.of("name: %s, expected %s".formatted(name, NAMES));
      }
      if (AccessRole.of(role).isEmpty()) {
        return Optional.of(
            "role of %s: %s, expected %s".formatted(name, role, AccessRole.EXPECTED));
      }
      if (!byCertificate() && !HASH.matcher(hash).matches()) {
        return Optional.of("hash of %s: expected 64 of 0-9 a-f".formatted(name));
      }
      try {
        isOver(Instant.EPOCH);
        return Optional.empty();
      } catch (DateTimeException e) {
        return Optional.of("expires of %s: %s, expected ISO 8601".formatted(name, expires));
      }
    }
  }

  /** Whether somebody may be called so. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /** No tokens, and a new secret. */
  public static AccessTokens none() {
    return new AccessTokens(HexFormat.of().formatHex(random()), List.of());
  }

  /** A new token, which is nowhere but in what this returns. */
  public static String random(String prefix) {
    return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(random());
  }

  private static byte[] random() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /**
   * What a file holds; nothing yet if it is not there.
   *
   * @throws MalformedJson as {@link #read}
   */
  public static AccessTokens in(Path file) throws IOException, MalformedJson {
    try {
      return read(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      return none();
    }
  }

  /**
   * Reads a file's content.
   *
   * @throws MalformedJson if it is no such file, or something in it is wrong
   */
  public static AccessTokens read(byte[] content) throws MalformedJson {
    AccessTokens read = Json.read(content, AccessTokens.class);
    if (read.secret == null || !HASH.matcher(read.secret).matches()) {
      throw new MalformedJson("secret: expected 64 of 0-9 a-f");
    }
    List<String> names = new ArrayList<>();
    for (Token token : read.tokens) {
      Optional<String> flaw = token.flaw();
      if (flaw.isPresent()) {
        throw new MalformedJson(flaw.get());
      }
      if (names.contains(token.name)) {
        throw new MalformedJson("name: %s, expected no two of one name".formatted(token.name));
      }
      names.add(token.name);
    }
    return read;
  }

  /** With another token in place of the one of its name, or beside the others. */
  public AccessTokens with(Token token) {
    List<Token> all = new ArrayList<>(without(token.name).tokens);
    all.add(token);
    return new AccessTokens(secret, all);
  }

  public AccessTokens without(String name) {
    return new AccessTokens(
        secret, tokens.stream().filter(token -> !token.name.equals(name)).toList());
  }

  public Optional<Token> named(String name) {
    return tokens.stream().filter(token -> token.name.equals(name)).findFirst();
  }

  /**
   * Whose token this is, if it is one that is in force. All are compared, each in constant time:
   * how long it takes says nothing of how near a guess is.
   */
  public Optional<Token> find(String token, Instant now) {
    byte[] hash = hash(token).getBytes(StandardCharsets.US_ASCII);
    Token found = null;
    for (Token one : tokens) {
      if (!one.byCertificate()
          && MessageDigest.isEqual(hash, one.hash.getBytes(StandardCharsets.US_ASCII))) {
        found = one;
      }
    }
    return Optional.ofNullable(found).filter(one -> !one.isOver(now));
  }

  /** Who calls with a certificate of this common name, if it is one that is let in. */
  public Optional<Token> certified(String name, Instant now) {
    return named(name).filter(Token::byCertificate).filter(one -> !one.isOver(now));
  }

  /** SHA-256 of a token, hex. */
  public static String hash(String token) {
    try {
      byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
