package io.stoker.common.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA256 over the canonical JSON of a message without its {@code mac} field. A message proves
 * that its sender holds a key without showing the key: events are signed with the attempt's token,
 * hello and heartbeats with the host's key.
 */
public final class Macs {
  private static final String ALGORITHM = "HmacSHA256";
  private static final String FIELD = "mac";

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
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.US_ASCII),
        message.path(FIELD).asText("").getBytes(StandardCharsets.UTF_8));
  }

  /** Of a message as it is without a code. */
  private static String code(byte[] key, JsonNode tree) {
    return HexFormat.of().formatHex(hmac(key, CanonicalJson.bytesWithout(tree, FIELD)));
  }

  /** A host's key: the HMAC of its name under the secret that only dispatchers hold. */
  public static byte[] hostKey(byte[] secret, String host) {
    return hmac(secret, host.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] hmac(byte[] key, byte[] data) {
    try {
      Mac mac = MAC.get();
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac.doFinal(data);
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
