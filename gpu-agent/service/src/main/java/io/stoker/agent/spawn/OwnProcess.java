package io.stoker.agent.spawn;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A process that can be told from a later one with the same pid, on one boot.
 *
 * @param startTicks field 22 of {@code /proc/<pid>/stat}
 */
public record OwnProcess(long pid, long startTicks) {
  /** 52 numbers of at most 20 digits, and a name. */
  private static final int MAX_STAT = 2048;

  /**
   * The process of a pid; start ticks 0 if it is gone.
   *
   * @throws UncheckedIOException as {@link #stat}
   */
  public static OwnProcess of(long pid) {
    return new OwnProcess(pid, stat(pid).map(ProcStat::startTicks).orElse(0L));
  }

  /**
   * The same of one that has just begun and must be told of in any case: start ticks 0, too, if it
   * cannot be read.
   */
  public static OwnProcess begun(long pid) {
    try {
      return of(pid);
    } catch (UncheckedIOException e) {
      return new OwnProcess(pid, 0);
    }
  }

  /** What a file written by {@link #write} names, if it is whole. */
  public static Optional<OwnProcess> read(Path file) throws IOException {
    try {
      String[] words = Files.readString(file).strip().split(" ");
      return words.length == 2
          ? Optional.of(new OwnProcess(Long.parseLong(words[0]), Long.parseLong(words[1])))
          : Optional.empty();
    } catch (NoSuchFileException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Writes it at once or not at all: {@code <pid> <start ticks>}. */
  public void write(Path file) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(fresh, pid + " " + startTicks + "\n");
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Whether this very process is there, and more than a zombie.
   *
   * @throws UncheckedIOException as {@link #stat}
   */
  public boolean alive() {
    return living().isPresent();
  }

  private Optional<ProcStat> living() {
    return stat(pid).filter(now -> now.startTicks() == startTicks && !now.ended());
  }

  /** Whether it is {@link #alive} and not stopped. */
  public boolean runs() {
    return living().filter(now -> now.state() != 'T' && now.state() != 't').isPresent();
  }

  /**
   * Its exit code, 128 + signal if killed, if it has ended and its parent has not asked for it yet;
   * empty too if the kernel does not tell this process.
   */
  public OptionalInt exitCode() {
    Optional<ProcStat> ended =
        stat(pid).filter(now -> now.startTicks() == startTicks && now.zombie());
    if (ended.isEmpty()) {
      return OptionalInt.empty();
    }
    OptionalInt own = Subreaper.exitCode(pid);
    return own.isPresent() || !open()
        ? own
        : OptionalInt.of(Subreaper.exitCode(ended.get().exitStatus()));
  }

  /**
   * Whether this process may know its exit status. The kernel shows 0 to who may not, and asks for
   * the same right here, where it says no.
   */
  private boolean open() {
    try {
      Files.readAllBytes(Path.of("/proc/" + pid + "/io"));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Sends SIGKILL, if it is there. */
  public void kill() {
    if (alive()) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /**
   * What the kernel says of a process; empty if it is gone.
   *
   * @throws UncheckedIOException if it is there and cannot be read: who has no file descriptor to
   *     spare must not take it for gone
   */
  public static Optional<ProcStat> stat(long pid) {
    byte[] line = new byte[MAX_STAT];
    try (FileInputStream in = new FileInputStream("/proc/" + pid + "/stat")) {
      int length = in.read(line); // the kernel gives the whole line at once
      return length < 0
          ? Optional.empty()
          : Optional.of(ProcStat.parse(new String(line, 0, length, StandardCharsets.ISO_8859_1)));
    } catch (IOException e) {
      if (there(pid)) {
        throw new UncheckedIOException("process " + pid + " is there and cannot be read", e);
      }
      return Optional.empty();
    }
  }

  /**
   * The same of one among all others; empty too if it is one that this process may not read.
   *
   * @throws UncheckedIOException if this process can read none, not even itself
   */
  public static Optional<ProcStat> statIfOpen(long pid) {
    try {
      return stat(pid);
    } catch (UncheckedIOException e) {
      needDescriptor();
      return Optional.empty();
    }
  }

  /** Whether there is such a process, which takes no file descriptor to find out. */
  public static boolean there(long pid) {
    return new File("/proc/" + pid).exists();
  }

  /**
   * Told apart by it: what this process may not read, and that it can read nothing now.
   *
   * @throws UncheckedIOException if it cannot even read itself
   */
  public static void needDescriptor() {
    stat(ProcessHandle.current().pid());
  }
}
