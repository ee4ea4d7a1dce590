package io.stoker.e2e.outside;

import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.Child;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The most memory that a dispatcher and an agent of those that run now have had at once.
 *
 * @param dispatcherMiB of the largest dispatcher
 * @param agentMiB of the largest agent
 */
record Memory(long dispatcherMiB, long agentMiB) {
  static Memory of(StokerStack stack) throws IOException {
    return new Memory(largest(stack, Role.DISPATCHER), largest(stack, Role.AGENT));
  }

  private static long largest(StokerStack stack, Role role) throws IOException {
    long largest = 0;
    for (Child child : stack.processes().children(role)) {
      if (child.pid().isPresent()) {
        largest = Math.max(largest, peak(child.pid().orElseThrow()));
      }
    }
    return largest;
  }

  private static long peak(long pid) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
              .filter(line -> line.startsWith("VmHWM:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum()
          / 1024;
    }
  }

  @Override
  public String toString() {
    return "dispatcher %d MiB, agent %d MiB at most".formatted(dispatcherMiB, agentMiB);
  }
}
