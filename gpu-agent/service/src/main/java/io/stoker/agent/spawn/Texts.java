package io.stoker.agent.spawn;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A NULL-terminated array of texts as the C library takes it, in one piece of memory. */
public final class Texts implements AutoCloseable {
  private final Memory memory;

  Texts(List<String> texts) {
    List<byte[]> all = texts.stream().map(Texts::one).toList();
    long next = (texts.size() + 1L) * Long.BYTES;
    memory = new Memory(next + all.stream().mapToLong(text -> text.length).sum());
    for (int i = 0; i < all.size(); i++) {
      memory.setLong((long) i * Long.BYTES, address() + next);
      memory.write(next, all.get(i), 0, all.get(i).length);
      next += all.get(i).length;
    }
    memory.setLong((long) all.size() * Long.BYTES, 0);
  }

  /** A single one. */
  static byte[] one(String text) {
    return (text + "\0").getBytes(StandardCharsets.UTF_8);
  }

  long address() {
    return Pointer.nativeValue(memory);
  }

  @Override
  public void close() {
    memory.close();
  }
}
