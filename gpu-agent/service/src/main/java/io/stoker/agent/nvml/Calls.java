package io.stoker.agent.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.gpu.NvmlException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongToIntFunction;

/** Turns return codes into what they mean: a value, an absence, or an {@link NvmlException}. */
final class Calls {
  /** A function that writes a text into a buffer of a given length. */
  interface TextOut {
    int call(byte[] out, int length);
  }

  static final String HOST = "this host";

  /** More than most questions need. */
  private static final int LENT = 1024;

  /** A thread's, once it has asked: to get and give up memory costs more than most answers. */
  private final ThreadLocal<Memory> spare = new ThreadLocal<>();

  /** Whether there is an answer; throws unless the code is success or an absence. */
  boolean isPresent(int code, String function, String subject) {
    if (code == NvmlCodes.SUCCESS) {
      return true;
    }
    if (NvmlCodes.isAbsence(code)) {
      return false;
    }
    throw failure(code, function, subject);
  }

  /** For functions whose absence would be a failure. */
  void require(int code, String function, String subject) {
    if (code != NvmlCodes.SUCCESS) {
      throw failure(code, function, subject);
    }
  }

  NvmlException failure(int code, String function, String subject) {
    return new NvmlException(code, function, subject, errorString(code));
  }

  /** Lends zeroed memory for one question. */
  <T> T inMemory(int bytes, Function<Pointer, T> question) {
    Memory mine = spare.get();
    if (mine == null || mine.size() < bytes) {
      mine = new Memory(Math.max(bytes, LENT));
    }
    spare.remove(); // a question within this one gets other memory
    mine.clear(bytes);
    T answer = question.apply(mine);
    spare.set(mine);
    return answer;
  }

  /** Calls with the address of a zeroed structure and decodes it. */
  <T> Optional<T> struct(
      String function,
      String subject,
      int bytes,
      LongToIntFunction call,
      Function<Pointer, T> decode) {
    return inMemory(
        bytes,
        out -> {
          int code = call.applyAsInt(Pointer.nativeValue(out));
          return isPresent(code, function, subject)
              ? Optional.of(decode.apply(out))
              : Optional.empty();
        });
  }

  /** As {@link #struct}, for a function that every library has and every device answers. */
  <T> T requiredStruct(
      String function,
      String subject,
      int bytes,
      LongToIntFunction call,
      Function<Pointer, T> decode) {
    return inMemory(
        bytes,
        out -> {
          require(call.applyAsInt(Pointer.nativeValue(out)), function, subject);
          return decode.apply(out);
        });
  }

  String text(String function, String subject, int capacity, TextOut call) {
    byte[] out = new byte[capacity];
    require(call.call(out, capacity), function, subject);
    return cString(out);
  }

  static byte[] cString(String text) {
    return (text + '\0').getBytes(StandardCharsets.UTF_8);
  }

  private static String cString(byte[] bytes) {
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private static String errorString(int code) {
    long address = CoreSymbols.nvmlErrorString(code);
    return address == 0 ? "unknown error" : new Pointer(address).getString(0);
  }
}
