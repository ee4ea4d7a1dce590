package io.stoker.common.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA256 over the canonical JSON of a message without its {@code mac} field. A message proves
 * that its sender holds a key without showing the key: events are signed with the attempt's token,
 * hello and heartbeats with the host's key. Or a record of events is signed as a whole, by its
 * bytes, with the host's key, and of each event there is a proof of the token.
 */
public final class Macs {
  private static final String ALGORITHM = "HmacSHA256";
  private static final String FIELD = "mac";
  private static final String SEAL = ",\"mac\":\"";

  /** A seal, 64 hex digits, and what closes the record. */
  private static final int SEAL_CHARS = SEAL.length() + 64 + 2;

  private static final int PROOF_BYTES = 16;

  /** To look for one among the providers costs more than what it does. */
  private static final ThreadLocal<Mac> MAC = ThreadLocal.withInitial(Macs::mac);

  private Macs() {}

  /**
   * The code of a message, as hex.
   *
   * @throws IllegalArgumentException for a message without a canonical form (see {@link
   *     CanonicalJson#text}) and for an empty key
   */
  public static String sign(byte[] key, Object message) {
    return code(key, Json.tree(message));
  }

  /**
   * A message with its code, as it is sent.
   *
   * @param message that has no code yet
   * @throws IllegalArgumentException as of {@link #sign}
   */
  public static ObjectNode signed(byte[] key, Object message) {
    ObjectNode tree = (ObjectNode) Json.tree(message);
    return tree.put(FIELD, code(key, tree));
  }

  /**
   * Whether a message carries the code that the key gives it; in constant time. It takes the tree
   * as received, so that a newer sender's additional fields are covered too. A message without a
   * canonical form carries none: nobody can have signed it.
   */
  public static boolean verify(byte[] key, JsonNode message) {
    String expected;
    try {
      expected = code(key, message);
    } catch (IllegalArgumentException e) {
      return false;
    }
    return equal(expected, message.path(FIELD).asText(""));
  }

  /** Of a message as it is without a code. */
  private static String code(byte[] key, JsonNode tree) {
    return HexFormat.of().formatHex(hmac(key, CanonicalJson.bytesWithout(tree, FIELD)));
  }

  /**
   * Proves of an event that its sender knows the attempt's token, in a record that is {@linkplain
   * #seal sealed}: a shorter code over which event it is and what it says has happened.
   *
   * @param outcome null for none
   * @return 32 hex digits
   */
  public static String proof(
      byte[] token, String job, int attempt, int seq, String type, String outcome) {
    // Put together, not formatted: it is done for each event, and digits are no locale's.
    String event =
        "stoker event\n" + job + '\n' + attempt + '\n' + seq + '\n' + type + '\n' + text(outcome);
    byte[] code = hmac(token, event.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(code, 0, PROOF_BYTES);
  }

  private static String text(String outcome) {
    return outcome == null ? "" : outcome;
  }

  /** Whether an event carries that proof; in constant time. */
  public static boolean proves(byte[] token, JsonNode event) {
    String expected =
        proof(
            token,
            event.path("job").asText(),
            event.path("attempt").asInt(),
            event.path("seq").asInt(),
            event.path("type").asText(),
            event.path("outcome").asText(null));
    return equal(expected, event.path(FIELD).asText(""));
  }

  /**
   * A record with the code of its bytes, as its last field, which saves the canonical form of all
   * that it holds.
   *
   * @param record one JSON object that is not empty
   */
  public static byte[] seal(byte[] key, byte[] record) {
    int open = record.length - 1;
    byte[] sealed = Arrays.copyOf(record, open + SEAL_CHARS);
    String code = HexFormat.of().formatHex(hmac(key, record, open));
    byte[] seal = (SEAL + code + "\"}").getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(seal, 0, sealed, open, SEAL_CHARS);
    return sealed;
  }

  /** Whether a record carries the code that the key gives its bytes; in constant time. */
  public static boolean sealed(byte[] key, byte[] record) {
    int open = record.length - SEAL_CHARS;
    if (open < 1) {
      return false;
    }
    String code = HexFormat.of().formatHex(hmac(key, record, open));
    String seal = new String(record, open, SEAL_CHARS, StandardCharsets.ISO_8859_1);
    return equal(SEAL + code + "\"}", seal);
  }

  private static boolean equal(String expected, String found) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.US_ASCII), found.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Proves who has sent a record.
   *
   * @param name without a line's end
   * @return 64 hex digits
   */
  public static String sentBy(byte[] key, String name, byte[] record) {
    byte[] by = "stoker sent by\n%s\n".formatted(name).getBytes(StandardCharsets.UTF_8);
    byte[] all = Arrays.copyOf(by, by.length + record.length);
    System.arraycopy(record, 0, all, by.length, record.length);
    return HexFormat.of().formatHex(hmac(key, all));
  }

  /** Whether that is the proof of a sender; in constant time. */
  public static boolean isSentBy(byte[] key, String name, byte[] record, String proof) {
    return equal(sentBy(key, name, record), proof);
  }

  /** A host's first key: the HMAC of its name under the secret that only dispatchers hold. */
  public static byte[] hostKey(byte[] secret, String host) {
    return hmac(secret, host.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * A host's key after so many rotations: of its name, and from the first on of its generation.
   *
   * @param generation 0 for the first key
   */
  public static byte[] hostKey(byte[] secret, String host, int generation) {
    return hostKey(secret, generation == 0 ? host : host + " key " + generation);
  }

  /**
   * The key by which dispatchers sign what they tell a host's agent: another one than that by which
   * the agent signs, so that a record of one direction means nothing in the other.
   */
  public static byte[] placementsKey(byte[] hostKey) {
    return hmac(hostKey, "stoker placements".getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] hmac(byte[] key, byte[] data) {
    return hmac(key, data, data.length);
  }

  private static byte[] hmac(byte[] key, byte[] data, int length) {
    try {
      Mac mac = MAC.get();
      mac.init(new SecretKeySpec(key, ALGORITHM));
      mac.update(data, 0, length);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every key suits " + ALGORITHM, e);
    }
  }

  private static Mac mac() {
    try {
      return Mac.getInstance(ALGORITHM);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }
}
