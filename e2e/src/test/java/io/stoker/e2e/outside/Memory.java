package io.stoker.e2e.outside;

import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.Child;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;

/** The most memory that a dispatcher and an agent have had at once, whichever process it was. */
final class Memory {
  private final StokerStack stack;
  private final Map<Role, Long> mostMib = new EnumMap<>(Role.class);

  Memory(StokerStack stack) {
    this.stack = stack;
  }

  /** Looks at those that run now; what they had before counts, too. */
  void look() {
    for (Role role : new Role[] {Role.DISPATCHER, Role.AGENT}) {
      for (Child child : stack.processes().children(role)) {
        child.pid().ifPresent(pid -> mostMib.merge(role, peakMib(pid), Math::max));
      }
    }
  }

  private static long peakMib(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
              .filter(line -> line.startsWith("VmHWM:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum()
          / 1024;
    } catch (IOException e) {
      return 0; // it has just ended
    }
  }

  @Override
  public String toString() {
    return "dispatcher %d MiB, agent %d MiB at most"
        .formatted(mostMib.getOrDefault(Role.DISPATCHER, 0L), mostMib.getOrDefault(Role.AGENT, 0L));
  }
}
