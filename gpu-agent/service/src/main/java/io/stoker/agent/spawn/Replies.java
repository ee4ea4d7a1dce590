package io.stoker.agent.spawn;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Lines to the agent; once it is gone, to nobody. */
final class Replies {
  private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);

  synchronized void say(String line) {
    try {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // The agent is gone; the state files tell the next one.
    }
  }
}
