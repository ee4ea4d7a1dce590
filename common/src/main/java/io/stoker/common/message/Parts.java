package io.stoker.common.message;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.ToAgent.Part;
import io.stoker.common.size.Limits;
import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Puts messages together again that came in {@linkplain Part parts}. It remembers what it has of a
 * message, through no restart: then all parts are told again. Parts may come twice, and those of
 * several messages between each other.
 */
public final class Parts {
  private static final int ID_BYTES = 16;

  /** Messages of which parts are missing; the one that began first gives way to more. */
  private static final int UNFINISHED = 3;

  private final Map<String, List<Optional<byte[]>>> unfinished = new LinkedHashMap<>();

  /**
   * Cuts a message.
   *
   * @param most bytes of its JSON in a part
   */
  public static List<Part> cut(ToAgent message, int most) {
    byte[] json = Json.bytes(message);
    String id = id(json);
    int of = Math.ceilDiv(json.length, most);
    List<Part> parts = new ArrayList<>(of);
    for (int n = 0; n < of; n++) {
      byte[] piece = Arrays.copyOfRange(json, n * most, Math.min(json.length, (n + 1) * most));
      parts.add(new Part(id, n, of, Base64.getEncoder().encodeToString(piece)));
    }
    return parts;
  }

  private static String id(byte[] json) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(json);
      return HexFormat.of().formatHex(digest, 0, ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * The record with the messages that are whole now in place of their last parts, and without other
   * parts; with no message at all if it had only such.
   *
   * @throws MalformedJson if the parts do not make a message
   */
  public PlacementsRecord whole(PlacementsRecord record) throws MalformedJson {
    if (record.messages().stream().noneMatch(Part.class::isInstance)) {
      return record;
    }
    List<ToAgent> messages = new ArrayList<>();
    for (ToAgent message : record.messages()) {
      if (message instanceof Part part) {
        add(part).ifPresent(messages::add);
      } else {
        messages.add(message);
      }
    }
    return record.with(messages);
  }

  private Optional<ToAgent> add(Part part) throws MalformedJson {
    List<Optional<byte[]>> pieces =
        unfinished.computeIfAbsent(
            part.id(), id -> new ArrayList<>(Collections.nCopies(part.of(), Optional.empty())));
    if (part.n() < 0 || part.n() >= pieces.size() || part.of() != pieces.size()) {
      unfinished.remove(part.id());
      throw new MalformedJson(
          "part %d of %d of message %s, expected one of %d"
              .formatted(part.n(), part.of(), part.id(), pieces.size()));
    }
    pieces.set(part.n(), Optional.of(bytes(part)));
    if (pieces.stream().anyMatch(Optional::isEmpty)) {
      forgetOldest();
      return Optional.empty();
    }
    unfinished.remove(part.id());
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    pieces.forEach(piece -> json.writeBytes(piece.orElseThrow()));
    ToAgent message = Json.read(json.toByteArray(), ToAgent.class);
    if (message instanceof Part) {
      throw new MalformedJson("a part in parts of message " + part.id());
    }
    return Optional.of(message);
  }

  private static byte[] bytes(Part part) throws MalformedJson {
    try {
      return Base64.getDecoder().decode(part.bytes());
    } catch (IllegalArgumentException e) {
      throw new MalformedJson("a part of message " + part.id() + " is no base64");
    }
  }

  private void forgetOldest() {
    if (unfinished.size() > UNFINISHED) {
      unfinished.remove(unfinished.keySet().iterator().next());
    }
  }

  /** Whether a part may be one at all: no message is cut into more than fit into memory. */
  public static boolean plausible(Part part) {
    return part.id() != null
        && !part.id().isEmpty()
        && part.bytes() != null
        && part.of() >= 1
        && part.of() <= Limits.AGENT_MESSAGE / Limits.SHARED_RECORD * 4
        && part.n() >= 0
        && part.n() < part.of();
  }
}
