package io.stoker.common.request;

import io.stoker.common.size.Limits;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Several requests in one record: a JSON array of them. It is cut at its commas, by brackets and
 * strings alone, and each element is then read by itself: so what is wrong within one of them is
 * its own fault, be it bytes that are not UTF-8 or a key that comes twice.
 */
public final class RequestArray {
  /** Most requests in one record. */
  public static final int MOST = 500;

  private static final String EXPECTED =
      "a JSON object, or an array of 1 to %d of them".formatted(MOST);

  private final byte[] json;
  private final List<byte[]> elements = new ArrayList<>();
  private int at;
  private int count;

  private RequestArray(byte[] json) {
    this.json = json;
  }

  /** Whether a record's value is an array, as far as its beginning tells. */
  public static boolean isArray(byte[] value) {
    if (value == null) {
      return false;
    }
    int first = 0;
    while (first < value.length && isSpace(value[first])) {
      first++;
    }
    return first < value.length && value[first] == '[';
  }

  /**
   * Cuts an array into its elements, each as it was written.
   *
   * @param eventId the id that the transport carries ({@code ce_id}): there must be none, since it
   *     could be that of one element at most
   * @throws RequestRefused if the array as a whole cannot be read
   */
  public static List<byte[]> split(byte[] value, Optional<String> eventId) throws RequestRefused {
    if (value.length > RequestParser.MAX_BYTES) {
      throw RequestParser.tooLarge(value, eventId);
    }
    if (eventId.isPresent()) {
      throw new RequestRefused(
          eventId.filter(RequestId::isValid).orElse(null),
          "ce_id",
          eventId.get(),
          "none with an array of requests: each has its id in its body");
    }
    RequestArray array = new RequestArray(value);
    array.cut();
    if (array.count == 0 || array.count > MOST) {
      throw refused("an array of " + array.count);
    }
    return array.elements;
  }

  private void cut() throws RequestRefused {
    skipSpace();
    at++;
    skipSpace();
    if (at < json.length && json[at] == ']') {
      at++;
    } else {
      do {
        element();
      } while (json[at++] == ',');
    }
    skipSpace();
    if (at < json.length) {
      throw refused("an array with more behind its end");
    }
  }

  /** Reads up to the comma or bracket behind an element. */
  private void element() throws RequestRefused {
    skipSpace();
    int start = at;
    BitSet arrays = new BitSet();
    int depth = 0;
    while (true) {
      if (at == json.length) {
        throw refused("an array whose end is missing");
      }
      byte next = json[at];
      if (depth == 0 && (next == ',' || next == ']')) {
        add(start);
        return;
      }
      switch (next) {
        case '"' -> skipString();
        case '{', '[' -> arrays.set(depth++, next == '[');
        case '}', ']' -> {
          if (depth == 0 || arrays.get(--depth) != (next == ']')) {
            throw refused("an array whose brackets do not match");
          }
        }
        default -> {}
      }
      at++;
    }
  }

  private void add(int start) {
    if (count++ < MOST) {
      int end = at;
      while (end > start && isSpace(json[end - 1])) {
        end--;
      }
      elements.add(Arrays.copyOfRange(json, start, end));
    }
  }

  /** Ends at the closing quote, or at the end of it all. */
  private void skipString() {
    at++;
    while (at < json.length - 1 && json[at] != '"') {
      at += json[at] == '\\' ? 2 : 1;
    }
    at = Math.min(at, json.length - 1);
  }

  private void skipSpace() {
    while (at < json.length && isSpace(json[at])) {
      at++;
    }
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\t' || b == '\r' || b == '\n';
  }

  private static RequestRefused refused(String found) {
    return new RequestRefused(null, "request", found, EXPECTED);
  }

  /**
   * A record's value, and how many requests it holds.
   *
   * @param value a request by itself, or an array of several
   */
  public record Packed(byte[] value, int count) {}

  /**
   * Puts requests into as few records as hold them, in their order.
   *
   * @param requests each a JSON object
   * @param most in one record
   */
  public static List<Packed> pack(List<byte[]> requests, int most) {
    List<Packed> packed = new ArrayList<>();
    int from = 0;
    while (from < requests.size()) {
      int to = from + 1;
      int bytes = requests.get(from).length + 2;
      while (to < requests.size()
          && to - from < most
          && bytes + requests.get(to).length + 1 <= Limits.RECORD_VALUE) {
        bytes += requests.get(to++).length + 1;
      }
      packed.add(packed(requests.subList(from, to), bytes));
      from = to;
    }
    return packed;
  }

  private static Packed packed(List<byte[]> requests, int bytes) {
    if (requests.size() == 1) {
      return new Packed(requests.getFirst(), 1);
    }
    ByteArrayOutputStream array = new ByteArrayOutputStream(bytes);
    for (byte[] request : requests) {
      array.write(array.size() == 0 ? '[' : ',');
      array.writeBytes(request);
    }
    array.write(']');
    return new Packed(array.toByteArray(), requests.size());
  }
}
