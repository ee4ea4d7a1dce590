package io.stoker.e2e.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a folder's users leave in a Linux machine: processes that name it, files, open ports. */
public final class Traces {
  private static final int PROBE_MS = 1_000;

  private Traces() {}

  /** Processes, but this one, with the folder in their command line or environment. */
  public static List<ProcessHandle> processesNaming(Path folder) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.pid() != ProcessHandle.current().pid())
        .filter(process -> names(process, "cmdline", folder) || names(process, "environ", folder))
        .toList();
  }

  /** Whether a process belongs to a job: jobs have their ids in their environment. */
  public static boolean isOfJob(ProcessHandle process, String job) {
    try {
      byte[] environment =
          Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "environ"));
      return ("\0" + new String(environment, StandardCharsets.ISO_8859_1))
          .contains("\0STOKER_JOB_ID=" + job + "\0");
    } catch (IOException e) {
      return false; // it has just ended
    }
  }

  private static boolean names(ProcessHandle process, String file, Path folder) {
    try {
      byte[] text = Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), file));
      return new String(text, StandardCharsets.UTF_8).contains(folder.toString());
    } catch (IOException e) {
      return false; // it has just ended, or is somebody else's
    }
  }

  /** Files that a process may write to, outside a folder. */
  public static List<String> writableFilesOutside(ProcessHandle process, Path folder)
      throws IOException {
    try {
      return openOutside(process, folder);
    } catch (IOException | UncheckedIOException e) {
      if (lives(process)) {
        throw e;
      }
      return List.of(); // it has just ended
    }
  }

  private static List<String> openOutside(ProcessHandle process, Path folder) throws IOException {
    Path open = Path.of("/proc", Long.toString(process.pid()), "fd");
    List<String> outside = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(open)) {
      for (Path descriptor : descriptors.toList()) {
        Path target;
        try {
          target = Files.readSymbolicLink(descriptor);
        } catch (IOException e) {
          continue; // closed meanwhile
        }
        if (isFile(target) && !target.startsWith(folder) && isWritable(descriptor)) {
          outside.add(process.pid() + " writes " + target);
        }
      }
    }
    return outside;
  }

  /**
   * What has no name in any folder leaves nothing. libffi, by which Java calls C, keeps what it
   * makes at run time in such a file where the kernel forbids memory that is written and executed.
   */
  private static boolean isFile(Path target) {
    return target.isAbsolute()
        && !target.startsWith("/dev")
        && !target.startsWith("/memfd:")
        && !target.toString().endsWith(" (deleted)");
  }

  private static boolean isWritable(Path descriptor) throws IOException {
    Path info = descriptor.getParent().resolveSibling("fdinfo").resolve(descriptor.getFileName());
    try (Stream<String> lines = Files.lines(info)) {
      return lines
          .filter(line -> line.startsWith("flags:"))
          .mapToInt(line -> Integer.parseInt(line.substring("flags:".length()).strip(), 8))
          .anyMatch(flags -> (flags & 3) != 0);
    } catch (NoSuchFileException e) {
      return false; // closed meanwhile
    }
  }

  /** Whether a process can still do anything; one that nobody has reaped yet cannot. */
  public static boolean lives(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return process.isAlive() && stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  /** What the kernel says of a process, for people. */
  public static String said(ProcessHandle process) {
    StringBuilder said = new StringBuilder();
    for (String file : List.of("stat", "cmdline", "limits", "cgroup", "environ")) {
      try {
        Path path = Path.of("/proc", Long.toString(process.pid()), file);
        said.append(file).append(": ").append(Files.readString(path).replace('\0', ' '));
      } catch (IOException e) {
        said.append(file).append(" is gone");
      }
      said.append('\n');
    }
    return said.toString();
  }

  public static boolean isOpen(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), PROBE_MS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
