package io.stoker.agent.journal;

import io.stoker.agent.loop.JournalException;
import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/**
 * An agent's data folder: one agent at a time has it, and all that agents with this folder run
 * carries its mark, a random id. The mark is kept apart from the journal, so that whoever has lost
 * the journal still knows what to end; a copy beside the journal makes up for its own loss.
 */
public final class DataFolder implements AutoCloseable {
  private static final String JOURNAL = "journal";
  private static final String MARK = "mark";
  private static final String SEAT = "seat";

  private final FileChannel lock;
  private final Path journal;
  private volatile String mark;

  private DataFolder(FileChannel lock, Path journal, String mark) {
    this.lock = lock;
    this.journal = journal;
    this.mark = mark;
  }

  /**
   * Takes it.
   *
   * @throws JournalException if it cannot be used, or another agent uses it
   */
  public static DataFolder open(Path data) {
    try {
      Path journal = OwnFiles.folder(data.resolve(JOURNAL));
      OwnFiles.files(journal);
      FileChannel lock =
          OwnFiles.open(data.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!locked(lock)) {
        lock.close();
        throw new IOException("another agent is using it");
      }
      return new DataFolder(lock, journal, readOrCreate(data, journal));
    } catch (IOException e) {
      throw new JournalException("data folder " + data + " cannot be opened", e);
    }
  }

  static boolean locked(FileChannel lockFile) throws IOException {
    try {
      FileLock lock = lockFile.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // this very process has it
    }
  }

  private static String readOrCreate(Path data, Path journal) throws IOException {
    Path own = data.resolve(MARK);
    Path copy = journal.resolve(MARK);
    Optional<String> first = CheckedText.read(own);
    Optional<String> second = CheckedText.read(copy);
    Optional<String> known = first.or(() -> second);
    String mark = known.isPresent() ? known.get() : earlier(journal);
    if (first.isEmpty()) {
      CheckedText.write(own, mark);
    }
    if (!second.equals(Optional.of(mark))) {
      CheckedText.write(copy, mark);
    }
    return mark;
  }

  /** What an agent of a build before has run carries the id of its journal. */
  private static String earlier(Path journal) throws IOException {
    try {
      String id =
          Files.readString(journal.resolve(FileJournal.ID), StandardCharsets.ISO_8859_1).strip();
      if (!Files.exists(journal.resolve(FileJournal.END)) && id.matches("[0-9a-f-]{36}")) {
        return id;
      }
    } catch (NoSuchFileException e) {
      // There was no agent before.
    }
    return UUID.randomUUID().toString();
  }

  /** Tells what runs by this folder from what runs by any other; known once it is claimed. */
  public String mark() {
    return mark;
  }

  /**
   * Notes in the journal's folder that it is used here. One that was copied on this boot names
   * processes that are another agent's: whoever took them for his own would end them. One that
   * names none begins with a mark of its own, for the other agent goes on under the one that was
   * copied. A note that was damaged says nothing.
   *
   * @param live how many attempts have not ended, by that journal
   * @throws IOException if it is a copy and there are any
   */
  public void claim(String bootId, int live) throws IOException {
    Path note = journal.resolve(SEAT);
    String here = bootId + " " + Files.getAttribute(journal, "unix:ino");
    Optional<String> before = CheckedText.read(note);
    boolean copied =
        before.filter(one -> one.startsWith(bootId + " ") && !one.equals(here)).isPresent();
    if (copied && live > 0) {
      throw new IOException(
          "%s is a copy: the processes of %d attempt(s) that it names may be another agent's. Give this agent an empty data folder and a stoker.agent.host of its own; if it is the same agent and the folder was moved, delete %s"
              .formatted(journal, live, note));
    }
    if (copied) {
      mark = UUID.randomUUID().toString();
      CheckedText.write(journal.resolveSibling(MARK), mark);
      CheckedText.write(journal.resolve(MARK), mark);
    }
    if (!before.equals(Optional.of(here))) {
      CheckedText.write(note, here);
    }
  }

  /** Where the journal is. */
  public Path journal() {
    return journal;
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new JournalException("the lock of a data folder cannot be given back", e);
    }
  }
}
